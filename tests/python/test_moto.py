"""Buckets of moto's S3, which checks signatures as Amazon's does, also over connections that fail."""

import io
import os
import pathlib
import urllib.request

import numpy as np
import pytest
import records
from fault_proxy import between

from penstock import Pipeline, fn

server_of_moto = pytest.importorskip("moto.server", reason="moto is not there: pip install 'moto[server]'")
boto3 = pytest.importorskip("boto3")

REGION = "eu-central-1"
PICTURES = {f"pictures/class {k}/{i} ü.jpg": f"{k}/{i}".encode() * 99 for k in range(3) for i in range(7)}


@pytest.fixture(scope="module")
def moto():
    server = server_of_moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield server.get_host_and_port()[1]
    server.stop()


def tell(port, what, body=b""):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/moto-api/{what}", data=body, method="POST")
    request.add_header("Content-Type", "text/plain")
    with urllib.request.urlopen(request) as answer:
        answer.read()


@pytest.fixture
def bucket(moto, monkeypatch, tmp_path):
    """A bucket "data" that only a user with a key may read: (port, key, role's name)."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "PENSTOCK_CACHE")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    tell(moto, "reset")
    tell(moto, "reset-auth", b"1000000")
    common = {
        "endpoint_url": f"http://127.0.0.1:{moto}", "region_name": REGION,
        "aws_access_key_id": "any", "aws_secret_access_key": "any",
    }  # fmt: skip
    s3, iam = boto3.client("s3", **common), boto3.client("iam", **common)
    s3.create_bucket(Bucket="data", CreateBucketConfiguration={"LocationConstraint": REGION})
    for name, data in {**PICTURES, **shards(tmp_path)}.items():
        s3.put_object(Bucket="data", Key=name, Body=data)
    allowed = '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}'
    iam.create_user(UserName="reader")
    iam.put_user_policy(UserName="reader", PolicyName="all", PolicyDocument=allowed)
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    role = iam.create_role(RoleName="training", AssumeRolePolicyDocument=allowed)["Role"]["Arn"]
    iam.put_role_policy(RoleName="training", PolicyName="all", PolicyDocument=allowed)
    token = boto3.client("sts", **common).assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
    tell(moto, "reset-auth", b"0")  # from now on all is checked
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{moto}")
    monkeypatch.setenv("AWS_REGION", REGION)
    yield moto, (key["AccessKeyId"], key["SecretAccessKey"]), token
    tell(moto, "reset-auth", b"1000000")


def as_user(monkeypatch, key, token=None):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key[0])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", key[1])
    if token:
        monkeypatch.setenv("AWS_SESSION_TOKEN", token)


def shards(folder):
    """A file of each kind, by names in the bucket."""
    members = [(f"{i:03}.{kind}", f"{i}{kind}".encode() * 500) for i in range(60) for kind in ("jpg", "cls")]
    tar = records.write_tar(folder / "x.tar", members)
    records.write_tfrecords(folder / "x.tfrecord", [{"image": b"%d" % i * 700, "label": i} for i in range(50)])
    array = io.BytesIO()
    np.save(array, np.arange(5000, dtype=np.float32))
    return {
        "shards/x.tar": pathlib.Path(tar).read_bytes(),
        "shards/x.tfrecord": (folder / "x.tfrecord").read_bytes(),
        "arrays/0.npy": array.getvalue(),
    }


def contents(*outputs):
    with Pipeline(4, 2, device_id=None) as pipe:
        pipe.set_outputs(*outputs)
    pipe.build()
    steps = pipe.reader_facts("Reader")["steps_per_epoch"]
    return [np.array(sample).tobytes() for _ in range(steps) for sample in pipe.run()[0]]


COMMON = {"name": "Reader", "epoch_end": "partial"}


def pictures(root="s3://data/pictures"):
    return contents(*fn.readers.file(file_root=root, **COMMON))


def archive(path="s3://data/shards/x.tar"):
    return contents(*fn.readers.webdataset(paths=path, ext=["jpg", "cls"], **COMMON))


def examples(path="s3://data/shards/x.tfrecord"):
    return contents(fn.readers.tfrecord(path=path, features={"image": "string[]"}, **COMMON)["image"])


def arrays(path="s3://data/arrays/0.npy"):
    return contents(fn.readers.numpy(files=[path], **COMMON))


def check_all(folder):
    assert pictures() == list(PICTURES.values())
    assert archive() == archive(str(folder / "x.tar"))
    assert examples() == examples(str(folder / "x.tfrecord"))
    assert arrays() == [np.arange(5000, dtype=np.float32).tobytes()]


def test_every_reader_with_a_key(bucket, monkeypatch, tmp_path):
    as_user(monkeypatch, bucket[1])
    check_all(tmp_path)


def test_every_reader_with_a_temporary_token(bucket, monkeypatch, tmp_path):
    token = bucket[2]
    as_user(monkeypatch, (token["AccessKeyId"], token["SecretAccessKey"]), token["SessionToken"])
    check_all(tmp_path)


def test_a_profile_gives_key_and_region(bucket, monkeypatch, tmp_path):
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "credentials").write_text(
        f"[lab]\naws_access_key_id = {bucket[1][0]}\naws_secret_access_key = {bucket[1][1]}\n"
    )
    (tmp_path / ".aws" / "config").write_text(f"[profile lab]\nregion = {REGION}\n")
    monkeypatch.delenv("AWS_REGION")
    monkeypatch.setenv("AWS_PROFILE", "lab")
    assert pictures() == list(PICTURES.values())


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("nobody", "403: InvalidAccessKeyId"),
        ("wrong secret", "403: SignatureDoesNotMatch"),
        (None, "403: no permission"),
    ],
)
def test_a_wrong_key_is_an_error_that_names_the_url(bucket, monkeypatch, key, text):
    known = bucket[1]
    if key is not None:
        as_user(monkeypatch, ("AKIANOBODY", known[1]) if key == "nobody" else (known[0], "wrong"))
    reads = [(archive, "s3://data/shards/x.tar"), (pictures, "s3://data/pictures")]
    for read, url in reads if key else reads[:1]:  # moto answers 500 to anonymous lists
        with pytest.raises((RuntimeError, ValueError), match=text) as error:
            read()
        assert url in str(error.value)


@pytest.mark.parametrize(
    ("fault", "cached"),
    [("slow", None), ("503", "ranges"), ("cut", None), ("cut", "ranges"), ("cut", "files"), ("long", None),
     ("long", "files"), ("short", "ranges")],
)  # fmt: skip
def test_nothing_is_lost_or_doubled_over_failing_connections(bucket, monkeypatch, tmp_path, fault, cached):
    as_user(monkeypatch, bucket[1])
    if cached:
        monkeypatch.setenv("PENSTOCK_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("PENSTOCK_CACHE", cached)
    with between(bucket[0], lambda number: fault if number % 4 == 1 else None) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
        check_all(tmp_path)
        check_all(tmp_path)


def test_a_bucket_and_an_object_that_are_not_there_are_named(bucket, monkeypatch):
    as_user(monkeypatch, bucket[1])
    with pytest.raises((RuntimeError, ValueError), match=r"404: NoSuchKey.*s3://data/no\.tar|s3://data/no\.tar.*404"):
        archive("s3://data/no.tar")
    with pytest.raises((RuntimeError, ValueError), match=r"NoSuchBucket"):
        pictures("s3://nowhere/x")
