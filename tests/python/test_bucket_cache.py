"""What is kept of files on servers: by ranges and as whole files, bounded, fetched again where it is damaged."""

import re

import numpy as np
import pytest
from bucket_server import serving
from cached_archives import archive, digest_of, held, members, read_archives, read_files, start, values

from penstock import Pipeline, _core, fn

pytestmark = pytest.mark.usefixtures("bucket_cache")


def test_records_are_asked_for_once(tmp_path, bucket_cache):
    of = members(300, 1000)
    with serving(archive(tmp_path, "x", of)) as server:
        assert read_archives(server.url, "x") == values(of)
        first, sent = len(server.log), server.sent
        assert sent < 300 * 1536 + 3 * 65536
        assert read_archives(server.url, "x", epochs=3, random_shuffle=True, seed=1) != values(of)
        assert len(server.log) - first == 2  # both files, whether they are still the same
        assert server.sent == sent
    bytes_held, files = held(bucket_cache)
    assert len(files) <= 4
    assert bytes_held < 300 * 1600 + 3 * 65536


def test_pictures_are_asked_for_once_and_after_a_while_whether_they_changed(monkeypatch, bucket_cache):
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
    assert len(held(bucket_cache)[1]) <= 8


@pytest.mark.parametrize("how", ["ranges", "files"])
def test_a_replaced_archive_is_fetched_anew(tmp_path, monkeypatch, how):
    monkeypatch.setenv("PENSTOCK_CACHE", how)
    old, new = members(40, 3000), members(40, 3000, seed=1)
    with serving(archive(tmp_path, "x", old)) as server:
        assert read_archives(server.url, "x") == values(old)
        server.files.update(archive(tmp_path, "x", new))
        assert read_archives(server.url, "x") == values(new)


def test_whole_files_are_read_without_the_server(tmp_path, monkeypatch, bucket_cache):
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
    data = [path for path in bucket_cache.iterdir() if path.suffix == ".data"]
    assert max(path.stat().st_size for path in data) > 200 * 30_000


def test_whole_files_that_find_no_room_are_read_by_ranges(tmp_path, monkeypatch, bucket_cache):
    monkeypatch.setenv("PENSTOCK_CACHE", "files")
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "1M")
    of = members(100, 30_000)
    with serving(archive(tmp_path, "x", of)) as server:
        assert read_archives(server.url, "x") == values(of)
    assert held(bucket_cache)[0] <= 1_000_000


@pytest.mark.parametrize("how", ["ranges", "files"])
def test_the_bound_holds_and_what_was_used_long_ago_goes_first(tmp_path, monkeypatch, bucket_cache, how):
    monkeypatch.setenv("PENSTOCK_CACHE", how)
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "2M")
    sets = {name: members(30, 20_000, seed=i) for i, name in enumerate("abcdef")}
    files = {path: data for name, of in sets.items() for path, data in archive(tmp_path, name, of).items()}
    with serving(files) as server:
        for name, of in sets.items():
            assert read_archives(server.url, name) == values(of)
            assert held(bucket_cache)[0] <= 2_000_000
        sent = server.sent
        assert read_archives(server.url, "f") == values(sets["f"])
        assert server.sent - sent < 200_000
        assert read_archives(server.url, "a") == values(sets["a"])
        assert server.sent - sent > 500_000


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
def test_damaged_entries_are_fetched_again(tmp_path, monkeypatch, bucket_cache, kind, how):
    monkeypatch.setenv("PENSTOCK_CACHE", "files" if kind in ("data", "info") else "ranges")
    of = members(100, 20_000)
    with serving(archive(tmp_path, "x", of)) as server:
        process = start(server.url, "x")
        assert process.communicate()[0].split()[-1] == digest_of(of)
        for path in bucket_cache.glob(f"*.{kind}"):
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


def test_a_server_that_names_no_version_is_not_trusted(monkeypatch, bucket_cache):
    import bucket_server

    send = bucket_server._Handler.send_header
    monkeypatch.setattr(
        bucket_server._Handler, "send_header", lambda self, name, value: name == "ETag" or send(self, name, value)
    )
    with serving({"/x.jpg": b"one"}) as server:
        assert read_files([f"{server.url}/x.jpg"]) == [b"one"]
        server.files["/x.jpg"] = b"two"
        assert read_files([f"{server.url}/x.jpg"]) == [b"two"]


def test_files_of_others_in_the_folder_stay(tmp_path, monkeypatch, bucket_cache):
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "100K")
    bucket_cache.mkdir()
    names = ["notes.txt", "photo.data", "0" * 32, "A" * 32 + ".data", "0" * 31 + ".pack"]
    for name in names:
        (bucket_cache / name).write_bytes(b"x" * 200_000)
    of = members(100, 5_000)
    with serving(archive(tmp_path, "x", of)) as server:
        assert read_archives(server.url, "x") == values(of)
    assert all((bucket_cache / name).stat().st_size == 200_000 for name in names)


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


def test_doctor_names_the_cache_and_its_fill(capsys, monkeypatch, bucket_cache):
    from penstock.cli import doctor

    with serving({"/x.jpg": b"x" * 1_000_000}) as server:
        read_files([f"{server.url}/x.jpg"])
    mark, text = doctor._cache()
    assert mark == doctor.OK  # twice as much where the file was asked for twice at a time, for two epochs
    assert re.fullmatch(rf"cache of files on servers: {bucket_cache}, [12]\.0 MB of 1,000\.0 MB in 1 entry", text)
    monkeypatch.setenv("PENSTOCK_CACHE_BYTES", "none")
    mark, text = doctor._cache()
    assert mark == doctor.WARN
    assert "PENSTOCK_CACHE_BYTES must be" in text
    monkeypatch.delenv("PENSTOCK_CACHE_DIR")
    assert doctor._cache()[0] == doctor.OK
    assert "PENSTOCK_CACHE_DIR" in doctor._cache()[1]
    assert _core.cache_fill() == ("", 0, 0, 0)
