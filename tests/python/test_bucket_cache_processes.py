"""A cache of files on servers that processes share: they fetch once, keep to the bound, may fork and be killed."""

import resource
import signal
import subprocess
import sys
import time

import pytest
from bucket_server import serving
from cached_archives import READ, archive, digest_of, held, members, read_archives, start, values

pytestmark = pytest.mark.usefixtures("bucket_cache")


def test_processes_that_want_one_file_fetch_it_once(tmp_path, monkeypatch):
    monkeypatch.setenv("PENSTOCK_CACHE", "files")
    of = members(300, 100_000)
    with serving(archive(tmp_path, "x", of), latency=0.05) as server:
        processes = [start(server.url, "x") for _ in range(4)]
        assert {process.communicate(timeout=120)[0].split()[-1] for process in processes} == {digest_of(of)}
        assert server.sent < 1.2 * len(server.files["/x.tar"]) + 4 * 4 * 65536


def test_processes_share_ranges(tmp_path):
    of = members(200, 20_000)
    with serving(archive(tmp_path, "x", of)) as server:
        assert read_archives(server.url, "x") == values(of)
        sent = server.sent
        processes = [start(server.url, "x") for _ in range(3)]
        assert {process.communicate(timeout=120)[0].split()[-1] for process in processes} == {digest_of(of)}
        assert server.sent == sent


@pytest.mark.parametrize("how", ["ranges", "files"])
def test_several_processes_keep_to_the_bound(tmp_path, monkeypatch, bucket_cache, how):
    monkeypatch.setenv("PENSTOCK_CACHE", how)
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "3M")
    sets = {name: members(40, 25_000, seed=i) for i, name in enumerate("abcdef")}
    files = {path: data for name, of in sets.items() for path, data in archive(tmp_path, name, of).items()}
    with serving(files) as server:
        orders = ["abcdef", "fedcba", "cdefab"]
        processes = [start(server.url, names) for names in orders]
        while any(process.poll() is None for process in processes):
            if bucket_cache.exists():
                assert held(bucket_cache)[0] <= 3_000_000 + 1_100_000  # and one entry
            time.sleep(0.01)
        for names, process in zip(orders, processes, strict=True):
            said, errors = process.communicate()
            assert said.split()[-1] == digest_of([one for name in names for one in sets[name]])
            assert errors == ""


@pytest.mark.parametrize("how", ["ranges", "files"])
def test_processes_that_are_killed_leave_nothing_wrong_behind(tmp_path, monkeypatch, bucket_cache, how):
    monkeypatch.setenv("PENSTOCK_CACHE", how)
    of = members(200, 100_000)
    slow = {"files": 0.3, "ranges": 0.02}[how]
    with serving(archive(tmp_path, "x", of), latency=slow) as server:
        for wait in (0.05, 0.3, 0.7):
            process = start(server.url, "x")
            while not bucket_cache.exists() or held(bucket_cache)[0] < 100_000:
                time.sleep(0.005)
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        server.latency = 0
        process = start(server.url, "x")
        said, errors = process.communicate(timeout=120)
        assert (said.split()[-1], errors) == (digest_of(of), "")
        assert read_archives(server.url, "x") == values(of)
        sent = server.sent
        assert read_archives(server.url, "x") == values(of)
        assert server.sent == sent


@pytest.mark.parametrize("how", ["ranges", "files"])
def test_a_full_disk_is_said_once_and_nothing_is_lost(tmp_path, monkeypatch, how):
    """The limit of the size of files stands for the end of the disk: writes fail from there on."""
    monkeypatch.setenv("PENSTOCK_CACHE", how)
    of = members(200, 20_000)
    with serving(archive(tmp_path, "x", of)) as server:
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))  # noqa: E731
        process = start(server.url, "x", preexec_fn=lambda: (limit(), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)))
        said, errors = process.communicate()
    assert said.split()[-1] == digest_of(of)
    assert errors.count("goes on without") == 1
    assert "the cache in" in errors


def test_processes_that_fork_write_beside_each_other(tmp_path):
    code = """
import os, sys
exec(sys.stdin.read())
url = sys.argv[1]
assert digest(url, "a") == sys.argv[2]
child = os.fork()
expected = sys.argv[3] if child else sys.argv[4]
good = digest(url, "b" if child else "c") == expected
if not child:
    os._exit(0 if good else 1)
assert good
assert os.waitpid(child, 0)[1] == 0
assert digest(url, "c") == sys.argv[4]
"""
    body = READ[READ.index("with Pipeline") :].replace("print(all.hexdigest())", "return all.hexdigest()")
    body = body.replace('print("begun", flush=True)', "").replace("\n", "\n    ")
    read = f"import hashlib\nimport numpy as np\nfrom penstock import Pipeline, fn\ndef digest(url, names):\n    {body}"
    sets = {name: members(60, 5_000, seed=i) for i, name in enumerate("abc")}
    files = {path: data for name, of in sets.items() for path, data in archive(tmp_path, name, of).items()}
    with serving(files) as server:
        arguments = [sys.executable, "-c", code, server.url, *(digest_of(of) for of in sets.values())]
        done = subprocess.run(arguments, input=read, capture_output=True, text=True, timeout=120, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        sent = server.sent
        for name, of in sets.items():
            assert read_archives(server.url, name) == values(of)
        assert server.sent == sent
