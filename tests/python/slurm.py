"""A Slurm cluster of one host for tests: its daemons run in a folder of their own, beside any Slurm of the machine."""

import contextlib
import getpass
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time

DEVICES = ["/dev/null", "/dev/zero"]  # what stands for GPUs: Slurm counts files
PROGRAMS = ("srun", "sinfo", "slurmctld", "slurmd", "munged")

CONFIGURATION = """
ClusterName=penstock
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} Gres=gpu:{gpus}
PartitionName=all Nodes={host} Default=YES State=UP
"""


def missing():
    """Programs that the cluster needs and this machine lacks."""
    return [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]


@contextlib.contextmanager
def cluster(cpus=2, gpus=0):
    """Runs the daemons; gives the variables with which `srun` finds them. `RuntimeError` with their logs on failure.

    The host claims `cpus` processors and up to two `gpus`, whatever it has.
    """
    host = socket.gethostname().partition(".")[0]
    # Paths of sockets may have 107 characters, and folders of pytest are long.
    with tempfile.TemporaryDirectory(prefix="slurm") as folder, contextlib.ExitStack() as daemons:
        ports = [_free_port() for _ in range(2)]
        settings = {"host": host, "user": getpass.getuser(), "folder": folder, "ports": ports}
        _write(folder, "slurm.conf", CONFIGURATION.format(**settings, cpus=cpus, gpus=gpus))
        _write(folder, "gres.conf", f"NodeName={host} Name=gpu File={','.join(DEVICES[:gpus])}\n" if gpus else "")
        _write(folder, "key", secrets.token_hex(64))
        environment = os.environ | {"SLURM_CONF": f"{folder}/slurm.conf", "PATH": _path()}
        files = [f"--{name}-file={folder}/munge.{name}" for name in ("pid", "log", "seed")]
        munge = ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={folder}/key"]
        started = [
            daemons.enter_context(_running(command, folder, environment))
            for command in ([*munge, *files], ["slurmctld", "-D"], ["slurmd", "-D", "-N", host])
        ]
        _wait_until_idle(environment, started, folder)
        yield {"SLURM_CONF": environment["SLURM_CONF"], "PATH": environment["PATH"]}


def _path():
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])  # where the daemons are


def _free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def _write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(text)


@contextlib.contextmanager
def _running(command, folder, environment):
    with open(f"{folder}/{command[0]}.out", "w") as log:
        daemon = subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        yield daemon
    finally:
        daemon.terminate()
        try:
            daemon.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()


def _wait_until_idle(environment, daemons, folder):
    states = ""
    for _ in range(300):
        asked = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True)
        states = asked.stdout.strip()
        if states == "idle":
            return
        if any(daemon.poll() is not None for daemon in daemons):
            break
        time.sleep(0.1)
    logs = [f"{name}:\n{_read(folder, name)}" for name in ("munged", "slurmctld", "slurmd")]
    raise RuntimeError(f"Slurm does not start, its host is {states!r}\n" + "\n".join(logs))


def _read(folder, name):
    with open(f"{folder}/{name}.out") as log:
        return log.read()
