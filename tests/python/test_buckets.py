"""Files on servers: http://, s3:// and gs:// wherever a reader takes a path, over connections that fail."""

import collections
import io
import json
import os
import pathlib
import subprocess
import sys
import time
import wave

import numpy as np
import pytest
import records
from bucket_server import serving

from penstock import Pipeline, fn, tfrecord, types

PICTURES = {f"/data/class {k}/{i}.jpg": f"{k}/{i}".encode() * 50 for k in range(3) for i in range(5)}


@pytest.fixture(autouse=True)
def _nobody(monkeypatch, tmp_path):
    """No credentials and no proxy but those that a test gives."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "GS_", "STORAGE_", "CLOUDSDK_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))


def contents(*outputs, batch_size=4, epochs=1, name="Reader", **options):
    """The bytes of the first output of each sample of an epoch."""
    with Pipeline(batch_size, 2, device_id=None, **options) as pipe:
        pipe.set_outputs(*outputs)
    pipe.build()
    found = []
    for _ in range(epochs * pipe.reader_facts(name)["steps_per_epoch"]):
        batch = pipe.run()
        found += [np.array(sample).tobytes() for sample in batch[0]]
    return found


def file_reader(**arguments):
    return fn.readers.file(name="Reader", epoch_end="partial", **arguments)


def urls_of(server, paths=PICTURES):
    return [server.url + path for path in paths]


def test_files_of_a_server_are_read(tmp_path):
    with serving(dict(PICTURES)) as server:
        assert contents(*file_reader(files=urls_of(server))) == list(PICTURES.values())
        relative = [path[1:] for path in PICTURES]
        assert contents(*file_reader(files=relative, file_root=server.url)) == list(PICTURES.values())
        listed = tmp_path / "list.txt"
        listed.write_text("".join(f"{url} {i}\n" for i, url in enumerate(urls_of(server))))
        assert contents(*file_reader(file_list=str(listed))) == list(PICTURES.values())
        server.files["/data/list.txt"] = "".join(f"{path[6:]} {i}\n" for i, path in enumerate(PICTURES)).encode()
        assert contents(*file_reader(file_list=f"{server.url}/data/list.txt")) == list(PICTURES.values())


def test_each_picture_is_asked_for_once():
    with serving(PICTURES, latency=0.01) as server:
        contents(*file_reader(files=urls_of(server)), epochs=2)
        counts = collections.Counter(path for path, _, _ in server.log)
        assert set(counts) == set(PICTURES)
        assert max(counts.values()) <= 2 + 3  # two epochs, and some more read ahead


def test_files_of_this_machine_and_of_servers_mix(tmp_path):
    (tmp_path / "local.jpg").write_bytes(b"here")
    with serving(PICTURES) as server:
        files = [str(tmp_path / "local.jpg"), urls_of(server)[0]]
        assert contents(*file_reader(files=files)) == [b"here", PICTURES["/data/class 0/0.jpg"]]


def test_large_files_come_in_parts():
    data = np.random.default_rng(1).bytes((40 << 20) + 12345)
    with serving({"/large.jpg": data}) as server:
        assert contents(*file_reader(files=[f"{server.url}/large.jpg"]), batch_size=1)[0] == data
        ranges = sorted({(begin, end) for _, begin, end in server.log})
        assert len(ranges) > 4
        assert ranges[0][0] == 0
        assert all(before[1] == after[0] for before, after in zip(ranges, ranges[1:], strict=False))


@pytest.mark.parametrize("fault", ["503", "429", "500", "cut", "short", "range"])
def test_what_fails_once_is_tried_again_and_nothing_is_lost_or_doubled(fault):
    def every_third(path, number):
        return fault if number == 0 and hash_of(path) % 3 == 0 else None

    with serving(PICTURES, fault=every_third) as server:
        assert contents(*file_reader(files=urls_of(server))) == list(PICTURES.values())
        assert len(server.log) > len(PICTURES)


def hash_of(path):
    return sum(path.encode())


@pytest.mark.parametrize("fault", ["503", "cut", "short", "range"])
def test_archives_over_failing_connections_equal_local_ones(tmp_path, fault):
    members = [(f"{i:04}.{kind}", f"{i}{kind}".encode() * 999) for i in range(300) for kind in ("jpg", "cls")]
    tar = records.write_tar(tmp_path / "x.tar", members)
    read = {"ext": ["jpg", "cls"], "name": "Reader", "epoch_end": "partial"}
    expected = contents(*fn.readers.webdataset(paths=str(tar), **read))

    def sometimes(path, number):
        return fault if number % 5 == 2 else None

    with serving({"/x.tar": pathlib.Path(tar).read_bytes()}, fault=sometimes) as server:
        assert contents(*fn.readers.webdataset(paths=f"{server.url}/x.tar", **read)) == expected


def test_records_and_arrays_of_a_server(tmp_path):
    arrays = [np.arange(i + 3, dtype=np.float32) for i in range(4)]
    files = {}
    for i, array in enumerate(arrays):
        file = io.BytesIO()
        np.save(file, array)
        files[f"/{i}.npy"] = file.getvalue()
    with serving(files) as server:
        found = contents(fn.readers.numpy(files=urls_of(server, files), name="Reader", epoch_end="partial"))
    assert found == [array.tobytes() for array in arrays]


def test_annotated_pictures_and_sounds_of_a_server(tmp_path):
    images = [{"id": i, "file_name": f"class {i}/0.jpg", "width": 9, "height": 9} for i in range(3)]
    boxes = [{"id": i, "image_id": i, "category_id": 1, "bbox": [1, 2, 3, 4], "iscrowd": 0} for i in range(3)]
    coco = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "one"}]}
    sound = io.BytesIO()
    with wave.open(sound, "wb") as out:
        out.setparams((1, 2, 16000, 0, "NONE", ""))
        out.writeframes(bytes(range(200)))
    files = PICTURES | {"/coco.json": json.dumps(coco).encode(), "/a.wav": sound.getvalue()}
    read = {"name": "Reader", "epoch_end": "partial"}
    with serving(files) as server:
        read_coco = fn.readers.coco(file_root=f"{server.url}/data", annotations_file=f"{server.url}/coco.json", **read)
        assert contents(*read_coco) == [PICTURES[f"/data/class {i}/0.jpg"] for i in range(3)]
        line = json.dumps({"audio_filepath": f"{server.url}/a.wav", "duration": 1, "text": "a"})
        server.files["/manifest.json"] = line.encode()
        read_sounds = fn.readers.nemo_asr(manifest_filepaths=[f"{server.url}/manifest.json"], dtype=types.INT16, **read)
        assert contents(*read_sounds) == [bytes(range(200))]


def test_of_an_array_of_which_a_window_is_taken_little_is_fetched():
    volume = np.random.default_rng(1).integers(0, 256, (96, 256, 256), np.uint8)
    file = io.BytesIO()
    np.save(file, volume)
    files = {f"/{i}.npy": file.getvalue() for i in range(6)}
    window = {"roi_start": [40, 0, 0], "roi_shape": [2, 256, 256]}
    with serving(files) as server, Pipeline(1, 1, device_id=None, prefetch_queue_depth=1) as pipe:
        pipe.set_outputs(fn.readers.numpy(files=urls_of(server, files), name="Reader", **window))
        pipe.build()
        for _ in range(6):
            assert np.array_equal(np.asarray(pipe.run()[0][0]), volume[40:42])
        most = max(end - begin for _, begin, end in server.log)
    assert most == volume[40:42].nbytes, "a request asks for a head or for a window, of this epoch or of one ahead"


def test_dots_in_names_are_asked_for_as_they_are():
    files = {"/a/../b.jpg": b"up", "/a/./b.jpg": b"here", "/b.jpg": b"none"}
    with serving(files) as server:
        assert contents(*file_reader(files=urls_of(server, files))) == [b"up", b"here", b"none"]


def large_records(kind, folder):
    """A file of ten records of 3 MB, its bytes, and how it is read."""
    body = np.random.default_rng(1).bytes(3 << 20)
    if kind == "tar":
        path = records.write_tar(folder / "x.tar", [(f"{i}.jpg", body) for i in range(10)])
        return pathlib.Path(path).read_bytes(), lambda url: fn.readers.webdataset(paths=url, ext=["jpg"], name="Reader")
    path = folder / "x.tfrecord"
    records.write_tfrecords(path, [{"x": [body]}] * 10)
    return path.read_bytes(), lambda url: fn.readers.tfrecord(
        path=url, features={"x": tfrecord.FixedLenFeature((), tfrecord.string, "")}, name="Reader"
    )


@pytest.mark.parametrize("kind", ["tar", "tfrecord"])
def test_of_an_archive_of_large_records_without_an_index_little_but_heads_is_fetched(tmp_path, kind):
    data, read = large_records(kind, tmp_path)
    with serving({"/x": data}) as server, Pipeline(1, 1, device_id=None, prefetch_queue_depth=1) as pipe:
        made = read(f"{server.url}/x")
        pipe.set_outputs(made["x"] if isinstance(made, dict) else made[0])
        pipe.build()
        assert pipe.reader_facts("Reader")["epoch_size"] == 10
        assert sum(min(end or len(data), len(data)) - begin for _, begin, end in server.log) < len(data) / 20
        assert len(server.log) < 20


def test_many_requests_are_under_way():
    files = {f"/{i}.jpg": b"x" * 1000 for i in range(200)}
    with serving(files, latency=0.05) as server:
        start = time.monotonic()
        contents(*file_reader(files=urls_of(server, files)), batch_size=20)
        assert server.most_under_way >= 12
        assert time.monotonic() - start < 200 * 0.05 / 3


@pytest.mark.parametrize(
    ("fault", "text"),
    [("403", "the server answers 403: AccessDenied"), ("whole", "does not answer requests for parts|whole files")],
)
def test_errors_name_the_url(fault, text):
    with serving({"/x.tar": b"x" * 100_000}, fault=lambda path, number: fault) as server:
        url = f"{server.url}/x.tar"
        with pytest.raises((RuntimeError, ValueError), match=text) as error:
            contents(fn.readers.webdataset(paths=url, ext="jpg", name="Reader"))
        assert url in str(error.value)


def test_a_missing_file_is_named_and_may_be_skipped():
    with serving(PICTURES) as server:
        urls = [*urls_of(server)[:3], f"{server.url}/nowhere.jpg"]
        with pytest.raises(RuntimeError, match=r"404: NoSuchKey: .*/nowhere\.jpg"):
            contents(*file_reader(files=urls))
        assert contents(*file_reader(files=urls), on_error="skip") == list(PICTURES.values())[:3]


def test_an_empty_file_and_a_replaced_one_are_told():
    with serving({"/empty.jpg": b""}) as server, pytest.raises(RuntimeError, match=r"file is empty \(0 bytes\).*empty"):
        contents(*file_reader(files=[f"{server.url}/empty.jpg"]))

    members = [(f"{i}.jpg", b"a" * 100_000) for i in range(20)]
    archive = io.BytesIO()
    write_tar_to(archive, members)
    with serving({"/x.tar": archive.getvalue()}) as server:
        with Pipeline(4, 1, device_id=None) as pipe:
            pipe.set_outputs(fn.readers.webdataset(paths=f"{server.url}/x.tar", ext="jpg"))
        pipe.build()
        server.files["/x.tar"] = archive.getvalue()[::-1]
        with pytest.raises(RuntimeError, match=r"was replaced on the server while being read.*x\.tar"):
            for _ in range(5):
                pipe.run()


def write_tar_to(file, members):
    import tarfile

    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


@pytest.fixture
def bucket():
    files = dict(PICTURES)
    files |= {
        "/data/odd & <names>/ü+%41 #?.jpg": b"odd",
        "/data/class 1/": b"",
        "/data/stray.jpg": b"s",
        "/data/notes/x.txt": b"t",
    }
    with serving(files, buckets=True, secret="top/secret+key") as server:
        yield server


def as_user(monkeypatch, server, secret="top/secret+key"):
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")


def test_a_bucket_is_listed_and_read_with_signed_requests(monkeypatch, bucket):
    as_user(monkeypatch, bucket)
    found = contents(*file_reader(file_root="s3://data"))
    assert found == [*PICTURES.values(), b"odd"]
    assert contents(*file_reader(file_root="s3://data/")) == found
    assert contents(*file_reader(files=["s3://data/odd & <names>/ü+%41 #?.jpg"])) == [b"odd"]
    with Pipeline(16, 1, device_id=None) as pipe:
        pipe.set_outputs(*file_reader(file_root="s3://data"))
    assert [int(np.array(one)[0]) for one in pipe.run()[1]] == [k for k in range(3) for _ in range(5)] + [4]


def test_session_tokens_are_signed(monkeypatch, bucket):
    as_user(monkeypatch, bucket)
    monkeypatch.setenv("AWS_SESSION_TOKEN", "a/token==")
    assert contents(*file_reader(files=["s3://data/stray.jpg"])) == [b"s"]


def test_profiles_give_credentials(monkeypatch, bucket, tmp_path):
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text(
        "[default]\naws_access_key_id = no\naws_secret_access_key = wrong\n"
        "[lab]\n# ours\naws_access_key_id=AKIDEXAMPLE\naws_secret_access_key = top/secret+key\n"
    )
    (tmp_path / ".aws" / "config").write_text("[profile lab]\nregion = eu-west-3\ns3 =\n    region = none\n")
    monkeypatch.setenv("AWS_ENDPOINT_URL", bucket.url)
    with pytest.raises(RuntimeError, match="403: SignatureDoesNotMatch"):
        contents(*file_reader(files=["s3://data/stray.jpg"]))
    monkeypatch.setenv("AWS_PROFILE", "lab")
    assert contents(*file_reader(files=["s3://data/stray.jpg"])) == [b"s"]
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises((ValueError, RuntimeError), match='AWS_PROFILE is "nobody", which neither'):
        contents(*file_reader(files=["s3://data/stray.jpg"]))


def test_who_has_no_credentials_is_anonymous(monkeypatch):
    with serving(PICTURES, buckets=True) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
        assert contents(*file_reader(file_root="s3://data")) == list(PICTURES.values())
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
        assert contents(*file_reader(file_root="gs://data")) == list(PICTURES.values())
        as_user(monkeypatch, server)
        monkeypatch.setenv("AWS_NO_SIGN_REQUEST", "1")
        assert contents(*file_reader(file_root="s3://data")) == list(PICTURES.values())


def test_google_takes_hmac_keys(monkeypatch, bucket):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", bucket.url)
    monkeypatch.setenv("GS_ACCESS_KEY_ID", "GOOG1")
    monkeypatch.setenv("GS_SECRET_ACCESS_KEY", "top/secret+key")
    assert contents(*file_reader(file_root="gs://data"))[-1] == b"odd"


def test_archives_of_a_bucket(monkeypatch, bucket, tmp_path):
    as_user(monkeypatch, bucket)
    tar = records.write_tar(tmp_path / "x.tar", [(f"{i}.jpg", str(i).encode()) for i in range(30)])
    bucket.files["/data/x.tar"] = pathlib.Path(tar).read_bytes()
    read = {"ext": "jpg", "name": "Reader", "random_shuffle": True, "epoch_end": "partial"}
    expected = contents(fn.readers.webdataset(paths=str(tar), **read))
    assert contents(fn.readers.webdataset(paths="s3://data/x.tar", **read)) == expected


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"file_root": "http://127.0.0.1:9/x"}, "cannot be listed: only s3:// and gs:// tell what is in a folder"),
        ({"files": ["s3://"]}, "names no bucket"),
        ({"files": ["gs://bucket"]}, "names no object"),
    ],
)
def test_urls_that_cannot_be_are_refused(arguments, text):
    with pytest.raises((ValueError, RuntimeError), match=text):
        contents(*file_reader(**arguments))


def test_a_state_goes_on_from_another_place(tmp_path):
    """The data set is the same wherever it lies."""
    paths = []
    for path, data in PICTURES.items():
        file = tmp_path / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        paths.append(str(file))

    def pipe(root):
        with Pipeline(4, 1, device_id=None) as made:
            made.set_outputs(*file_reader(file_list="list.txt" if root is None else root, random_shuffle=True))
        return made

    (tmp_path / "data" / "list.txt").write_text("".join(f"{path[6:]} {i}\n" for i, path in enumerate(PICTURES)))
    with serving({**PICTURES, "/data/list.txt": (tmp_path / "data" / "list.txt").read_bytes()}) as server:
        first, second = pipe(str(tmp_path / "data" / "list.txt")), pipe(f"{server.url}/data/list.txt")
        for _ in range(2):
            assert [np.array(x).tobytes() for x in first.run()[0]] == [np.array(x).tobytes() for x in second.run()[0]]


def test_without_libcurl_the_package_is_named(tmp_path):
    code = """
import json, os, sys
from penstock import Pipeline, fn, _core
with Pipeline(1, 1, device_id=None) as pipe:
    pipe.set_outputs(*fn.readers.file(files=["http://127.0.0.1:9/x.jpg"]))
try:
    pipe.run()
except RuntimeError as e:
    print(json.dumps([str(e), _core.url_library()]))
"""
    (tmp_path / "libcurl.so.4").write_text("no library")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    message, status = json.loads(done.stdout)
    assert "URLs are read by libcurl, which is not there" in message
    assert "apt install libcurl4" in message
    assert status.startswith("no ")
