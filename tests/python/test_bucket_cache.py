"""What is kept of files on servers: by ranges and as whole files, bounded, shared by processes that may be killed."""

import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import records
from bucket_server import serving

from penstock import Pipeline, _core, fn

KINDS = ("data", "info", "part", "pack", "idx", "room")


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """The folder of an empty cache; no credentials and no proxy."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "PENSTOCK_CACHE")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    folder = tmp_path / "cache"
    monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(folder))
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "1G")
    return folder


def members(count, size, seed=0):
    """Records of an archive that no two have in common."""
    data = np.random.default_rng(seed)
    return [(f"{i:05}.jpg", data.bytes(size)) for i in range(count)]


def archive(folder, name, of):
    """Bytes of a tar and of its index, by paths on a server."""
    tar = pathlib.Path(records.write_tar(folder / f"{name}.tar", of))
    index = tar.with_suffix(".idx")
    places, at = [], 0
    for member, data in of:
        places.append(f"jpg {at + 512} {len(data)} {member}")
        at += 512 + (len(data) + 511) // 512 * 512
    index.write_text(f"v1.2 {len(of)}\n" + "\n".join(places) + "\n")
    return {f"/{name}.tar": tar.read_bytes(), f"/{name}.idx": index.read_bytes()}


def contents(*outputs, batch_size=8, epochs=1):
    with Pipeline(batch_size, 2, device_id=None) as pipe:
        pipe.set_outputs(*outputs)
    pipe.build()
    steps = epochs * pipe.reader_facts("Reader")["steps_per_epoch"]
    return [np.array(sample).tobytes() for _ in range(steps) for sample in pipe.run()[0]]


def read_archives(url, names, epochs=1, **options):
    paths, indices = ([f"{url}/{name}.{kind}" for name in names] for kind in ("tar", "idx"))
    return contents(
        fn.readers.webdataset(
            paths=paths, index_paths=indices, ext="jpg", name="Reader", epoch_end="partial", **options
        ),
        epochs=epochs,
    )


def read_files(urls, epochs=1):
    return contents(*fn.readers.file(files=urls, name="Reader", epoch_end="partial"), epochs=epochs)


def values(of):
    return [data for _, data in of]


def held(cache):
    """Bytes of the cache, and what it consists of; files may vanish meanwhile."""
    sizes = {}
    for path in cache.iterdir():
        try:
            sizes[path.name] = path.stat().st_size
        except FileNotFoundError:
            continue
    return sum(size for name, size in sizes.items() if not name.endswith(".room")), sizes


def asked(server, path):
    """How many requests for a file brought bytes, and how many bytes."""
    return sum(1 for one in server.log if one[0] == path)


def test_records_are_asked_for_once(tmp_path, cache):
    of = members(300, 1000)
    with serving(archive(tmp_path, "x", of)) as server:
        assert read_archives(server.url, "x") == values(of)
        first, sent = len(server.log), server.sent
        assert sent < 300 * 1536 + 3 * 65536
        assert read_archives(server.url, "x", epochs=3, random_shuffle=True, seed=1) != values(of)
        assert len(server.log) - first == 2  # both files, whether they are still the same
        assert server.sent == sent
    bytes_held, files = held(cache)
    assert len(files) <= 4
    assert bytes_held < 300 * 1600 + 3 * 65536


def test_pictures_are_asked_for_once_and_after_a_while_whether_they_changed(monkeypatch, cache):
    files = {f"/{i}.jpg": bytes([i]) * (1000 + i) for i in range(100)}
    with serving(files) as server:
        urls = [server.url + path for path in files]
        assert read_files(urls, epochs=3) == list(files.values()) * 3
        first = len(server.log)
        assert first < 110  # of two epochs that are read ahead at a time both may ask
        assert read_files(urls) == list(files.values())
        assert len(server.log) == first
        sent = server.sent
        monkeypatch.setenv("PENSTOCK_CACHE_SECONDS", "0")
        assert read_files(urls) == list(files.values())
        assert len(server.log) >= 200
        assert server.sent == sent
        server.files["/7.jpg"] = b"another"
        assert read_files(urls)[7] == b"another"
    assert len(held(cache)[1]) <= 8


@pytest.mark.parametrize("how", ["ranges", "files"])
def test_a_replaced_archive_is_fetched_anew(tmp_path, monkeypatch, how):
    monkeypatch.setenv("PENSTOCK_CACHE", how)
    old, new = members(40, 3000), members(40, 3000, seed=1)
    with serving(archive(tmp_path, "x", old)) as server:
        assert read_archives(server.url, "x") == values(old)
        server.files.update(archive(tmp_path, "x", new))
        assert read_archives(server.url, "x") == values(new)


def test_whole_files_are_read_without_the_server(tmp_path, monkeypatch, cache):
    monkeypatch.setenv("PENSTOCK_CACHE", "files")
    of = members(200, 30_000)
    with serving(archive(tmp_path, "x", of)) as server:
        with Pipeline(10, 2, device_id=None) as pipe:
            pipe.set_outputs(
                fn.readers.webdataset(paths=f"{server.url}/x.tar", index_paths=f"{server.url}/x.idx", ext="jpg")
            )
        pipe.build()
    found = [np.array(sample).tobytes() for _ in range(20) for sample in pipe.run()[0]]
    assert found == values(of)
    data = [path for path in cache.iterdir() if path.suffix == ".data"]
    assert max(path.stat().st_size for path in data) > 200 * 30_000


def test_whole_files_that_find_no_room_are_read_by_ranges(tmp_path, monkeypatch, cache):
    monkeypatch.setenv("PENSTOCK_CACHE", "files")
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "1M")
    of = members(100, 30_000)
    with serving(archive(tmp_path, "x", of)) as server:
        assert read_archives(server.url, "x") == values(of)
    assert held(cache)[0] <= 1_000_000


READ = """
import sys, hashlib
import numpy as np
from penstock import Pipeline, fn
url, names = sys.argv[1], sys.argv[2].split(",")
with Pipeline(8, 2, device_id=None) as pipe:
    pipe.set_outputs(
        fn.readers.webdataset(
            paths=[f"{url}/{n}.tar" for n in names], index_paths=[f"{url}/{n}.idx" for n in names],
            ext="jpg", name="Reader", epoch_end="partial"
        )
    )
pipe.build()
all = hashlib.md5()
print("begun", flush=True)
for _ in range(pipe.reader_facts("Reader")["steps_per_epoch"]):
    for sample in pipe.run()[0]:
        all.update(np.array(sample).tobytes())
print(all.hexdigest())
"""


def start(url, names, **options):
    return subprocess.Popen(
        [sys.executable, "-c", READ, url, ",".join(names)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def digest_of(of):
    import hashlib

    return hashlib.md5(b"".join(values(of))).hexdigest()


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
def test_the_bound_holds_and_what_was_used_long_ago_goes_first(tmp_path, monkeypatch, cache, how):
    monkeypatch.setenv("PENSTOCK_CACHE", how)
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "2M")
    sets = {name: members(30, 20_000, seed=i) for i, name in enumerate("abcdef")}
    files = {path: data for name, of in sets.items() for path, data in archive(tmp_path, name, of).items()}
    with serving(files) as server:
        for name, of in sets.items():
            assert read_archives(server.url, name) == values(of)
            assert held(cache)[0] <= 2_000_000
        sent = server.sent
        assert read_archives(server.url, "f") == values(sets["f"])
        assert server.sent - sent < 200_000
        assert read_archives(server.url, "a") == values(sets["a"])
        assert server.sent - sent > 500_000


@pytest.mark.parametrize("how", ["ranges", "files"])
def test_several_processes_keep_to_the_bound(tmp_path, monkeypatch, cache, how):
    monkeypatch.setenv("PENSTOCK_CACHE", how)
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "3M")
    sets = {name: members(40, 25_000, seed=i) for i, name in enumerate("abcdef")}
    files = {path: data for name, of in sets.items() for path, data in archive(tmp_path, name, of).items()}
    with serving(files) as server:
        orders = ["abcdef", "fedcba", "cdefab"]
        processes = [start(server.url, names) for names in orders]
        while any(process.poll() is None for process in processes):
            if cache.exists():
                assert held(cache)[0] <= 3_000_000 + 1_100_000  # and one entry
            time.sleep(0.01)
        for names, process in zip(orders, processes, strict=True):
            said, errors = process.communicate()
            assert said.split()[-1] == digest_of([one for name in names for one in sets[name]])
            assert errors == ""


@pytest.mark.parametrize("how", ["ranges", "files"])
def test_processes_that_are_killed_leave_nothing_wrong_behind(tmp_path, monkeypatch, cache, how):
    monkeypatch.setenv("PENSTOCK_CACHE", how)
    of = members(200, 100_000)
    slow = {"files": 0.3, "ranges": 0.02}[how]
    with serving(archive(tmp_path, "x", of), latency=slow) as server:
        for wait in (0.05, 0.3, 0.7):
            process = start(server.url, "x")
            while not cache.exists() or held(cache)[0] < 100_000:
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


def damage(path, how):
    data = bytearray(path.read_bytes())
    if how == "cut":
        data = data[: len(data) // 2]
    elif how == "bits":
        for at in range(1000, len(data), 1000):
            data[at] ^= 4
    elif how == "empty":
        data = b""
    path.write_bytes(data)


@pytest.mark.parametrize("kind", ["pack", "idx", "data", "info"])
@pytest.mark.parametrize("how", ["cut", "bits", "empty"])
def test_damaged_entries_are_fetched_again(tmp_path, monkeypatch, cache, kind, how):
    monkeypatch.setenv("PENSTOCK_CACHE", "files" if kind in ("data", "info") else "ranges")
    of = members(100, 20_000)
    with serving(archive(tmp_path, "x", of)) as server:
        process = start(server.url, "x")
        assert process.communicate()[0].split()[-1] == digest_of(of)
        for path in cache.glob(f"*.{kind}"):
            damage(path, how)
        for again in range(2):
            process = start(server.url, "x")
            said, errors = process.communicate()
            assert said.split()[-1] == digest_of(of)
            if again == 0 and kind in ("pack", "data"):
                assert re.search(
                    r"penstock: warning: .* of the cache is damaged and is fetched again: .*cache/", errors
                )
            elif again:
                assert errors == ""


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


def test_a_server_that_names_no_version_is_not_trusted(monkeypatch, cache):
    import bucket_server

    send = bucket_server._Handler.send_header
    monkeypatch.setattr(
        bucket_server._Handler, "send_header", lambda self, name, value: name == "ETag" or send(self, name, value)
    )
    with serving({"/x.jpg": b"one"}) as server:
        assert read_files([f"{server.url}/x.jpg"]) == [b"one"]
        server.files["/x.jpg"] = b"two"
        assert read_files([f"{server.url}/x.jpg"]) == [b"two"]


def test_files_of_others_in_the_folder_stay(tmp_path, monkeypatch, cache):
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "100K")
    cache.mkdir()
    names = ["notes.txt", "photo.data", "0" * 32, "A" * 32 + ".data", "0" * 31 + ".pack"]
    for name in names:
        (cache / name).write_bytes(b"x" * 200_000)
    of = members(100, 5_000)
    with serving(archive(tmp_path, "x", of)) as server:
        assert read_archives(server.url, "x") == values(of)
    assert all((cache / name).stat().st_size == 200_000 for name in names)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("PENSTOCK_CACHE_BYTES", "10 GB", 'PENSTOCK_CACHE_BYTES must be a number of bytes such as 500G.*got "10 GB"'),
        ("PENSTOCK_CACHE_BYTES", "-5", "PENSTOCK_CACHE_BYTES must be"),
        ("PENSTOCK_CACHE_BYTES", "99999999999T", "PENSTOCK_CACHE_BYTES must be"),
        ("PENSTOCK_CACHE_SECONDS", "soon", 'PENSTOCK_CACHE_SECONDS must be a number of seconds, got "soon"'),
        ("PENSTOCK_CACHE", "blocks", 'PENSTOCK_CACHE must be "ranges" or "files", got "blocks"'),
        ("PENSTOCK_CACHE_DIR", "/proc/nowhere", 'PENSTOCK_CACHE_DIR is "/proc/nowhere", which cannot be written'),
    ],
)
def test_settings_that_make_no_sense_are_refused(monkeypatch, name, value, text):
    monkeypatch.setenv(name, value)
    with serving({"/x.jpg": b"x"}) as server, pytest.raises((ValueError, RuntimeError), match=text):
        read_files([f"{server.url}/x.jpg"])


def test_doctor_names_the_cache_and_its_fill(capsys, monkeypatch, cache):
    from penstock.cli import doctor

    with serving({"/x.jpg": b"x" * 1_000_000}) as server:
        read_files([f"{server.url}/x.jpg"])
    mark, text = doctor._cache()
    assert mark == doctor.OK  # twice as much where the file was asked for twice at a time, for two epochs
    assert re.fullmatch(rf"cache of files on servers: {cache}, [12]\.0 MB of 1,000\.0 MB in 1 entry", text)
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "none")
    mark, text = doctor._cache()
    assert mark == doctor.WARN
    assert "PENSTOCK_CACHE_BYTES must be" in text
    monkeypatch.delenv("PENSTOCK_CACHE_DIR")
    assert doctor._cache()[0] == doctor.OK
    assert "PENSTOCK_CACHE_DIR" in doctor._cache()[1]
    assert _core.cache_fill() == ("", 0, 0, 0)
