#!/usr/bin/env bash
# Two computers and the cable between them, as namespaces: COMMAND runs on both, followed by 0 on the one, 10.0.0.1, and
# by 1 on the other. What each prints goes to the files OUT0 and OUT1. Root runs it in a network namespace of its own.
# usage: unshare --net --pid --fork --mount-proc --kill-child two_computers.sh OUT COMMAND...
set -euo pipefail
out=$1
shift
ip link add end0 type veth peer name end1
printf '127.0.0.1 localhost\n10.0.0.1 computer0\n10.0.0.2 computer1\n' >"$out.hosts"
for i in 0 1; do
  unshare --net --uts --mount bash -c '
    i=$1 hosts=$2
    shift 2
    hostname "computer$i"
    mount --bind "$hosts" /etc/hosts
    ip link set lo up
    until ip address add "10.0.0.$((i + 1))/24" dev "end$i" 2>/dev/null; do sleep 0.02; done
    ip link set "end$i" up
    exec "$@" "$i"' bash "$i" "$out.hosts" "$@" >"$out$i" 2>&1 &
  pids[i]=$!
done
for i in 0 1; do
  while ip link show "end$i" >/dev/null 2>&1; do
    ip link set "end$i" netns "${pids[i]}"
    sleep 0.02
  done
done
for pid in "${pids[@]}"; do wait "$pid" || true; done
