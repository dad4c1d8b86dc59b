"""ci/finish_wheel.py: wheels carry licences and a list of what is in them, and equal files make equal wheels."""

import base64
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile

import pytest

INFO = "penstock-0.1.0.dist-info"
LIBRARY = "penstock.libs/libz-1a2b3c4d.so.1.2.13"
METADATA = "Metadata-Version: 2.4\nName: penstock\nVersion: 0.1.0\nLicense-File: LICENSE\n\n# Penstock\n\nText.\n"


@pytest.fixture
def finish(checkout):
    """Runs the program; its exit status and what it printed."""

    def run(wheel, *arguments, epoch=1_700_000_000):
        command = [sys.executable, checkout / "ci/finish_wheel.py", wheel, *arguments]
        environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.fixture
def wheel(tmp_path):
    """Makes a wheel of these files, in the order and with the time given."""

    def make(folder, files, at=0):
        path = tmp_path / folder / "penstock-0.1.0-py3-none-any.whl"
        path.parent.mkdir()
        with zipfile.ZipFile(path, "w") as made:
            for name, data in files.items():
                entry = zipfile.ZipInfo(name, time.gmtime(500_000_000 + at)[:6])
                entry.external_attr = (0o755 if name.endswith(".sh") else 0o600) << 16
                made.writestr(entry, data)
        return path

    return make


PURE = {
    "penstock/__init__.py": "answer = 42\n",
    "penstock/run.sh": "#!/bin/sh\n",
    f"{INFO}/METADATA": METADATA,
    f"{INFO}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{INFO}/licenses/LICENSE": "Apache\n",
    f"{INFO}/RECORD": "",
}


def test_wheels_made_at_other_times_and_in_another_order_are_equal(wheel, finish):
    one = wheel("one", PURE)
    other = wheel("other", dict(reversed(PURE.items())), at=86_400)
    assert one.read_bytes() != other.read_bytes()
    assert finish(one)[0] == finish(other)[0] == 0
    assert one.read_bytes() == other.read_bytes()
    assert finish(one)[0] == 0  # a second time
    assert one.read_bytes() == other.read_bytes()
    assert finish(one, epoch=1_700_000_002)[0] == 0
    assert one.read_bytes() != other.read_bytes()


def test_pip_installs_a_finished_wheel(wheel, finish, tmp_path):
    path = wheel("one", PURE)
    assert finish(path)[0] == 0
    with zipfile.ZipFile(path) as made:
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in made.infolist()}
        record = made.read(f"{INFO}/RECORD").decode().splitlines()
        for row in record[:-1]:
            name, digest, size = row.rsplit(",", 2)
            data = made.read(name)
            assert (len(data), digest.removeprefix("sha256=")) == (
                int(size), base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            )  # fmt: skip
        assert {row.rsplit(",", 2)[0] for row in record} == set(made.namelist())
    assert (modes["penstock/run.sh"], modes["penstock/__init__.py"]) == (0o755, 0o644)
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        tmp_path / "to",
        path,
    ]
    subprocess.run(command, check=True)
    assert (tmp_path / "to/penstock/__init__.py").read_text() == "answer = 42\n"


@pytest.fixture
def zlib():
    """The system's zlib as (bytes, name without the hash that auditwheel adds, version of Debian's package)."""
    pytest.importorskip("jaxlib")
    if shutil.which("dpkg-query") is None:
        pytest.skip("no dpkg here: components are looked up among Debian's packages")
    found = sorted(pathlib.Path("/").glob("lib/*-linux-gnu/libz.so.1.*"))
    asked = ["dpkg-query", "-W", "-f", "${Version}", "zlib1g"]
    version = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    if not found or not version:
        pytest.skip("no zlib1g here")
    return found[0].read_bytes(), found[0].name, version


def test_licences_and_versions_of_libraries_come_along(wheel, finish, zlib):
    data, name, version = zlib
    place = f"penstock.libs/{name.replace('libz', 'libz-1a2b3c4d')}"
    path = wheel("one", PURE | {place: data})
    status, out = finish(path)
    assert status == 0, out
    assert f"zlib1g {version}: {place}" in out
    with zipfile.ZipFile(path) as made:
        text = made.read(f"{INFO}/licenses/bundled/zlib1g.txt").decode()
        assert "Jean-loup Gailly" in text
        metadata, bill = (
            made.read(f"{INFO}/METADATA").decode(),
            json.loads(made.read(f"{INFO}/sboms/penstock.cdx.json")),
        )
        for file in re.findall(r"^License-File: (.*)$", metadata, re.MULTILINE):
            assert made.read(f"{INFO}/licenses/{file}")
    assert metadata.endswith("\n\n# Penstock\n\nText.\n")
    names = [one["name"] for one in bill["components"]]
    assert names == sorted(names)
    assert {"nanobind", "jaxlib", "nlohmann-json3-dev", "libprotozero-dev", "zlib1g"} == set(
        names
    )  # what is compiled in, too
    [library] = [one for one in bill["components"] if one["name"] == "zlib1g"]
    assert (library["version"], library["evidence"]["occurrences"]) == (version, [{"location": place}])
    assert library["components"][0]["hashes"][0]["content"] == hashlib.sha256(data).hexdigest()
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    references = [one["bom-ref"] for one in bill["components"]]
    assert bill["dependencies"] == [{"ref": "wheel", "dependsOn": references}]


def test_libraries_of_another_processor_are_those_of_a_folder(wheel, finish, zlib, tmp_path):
    root = tmp_path / "sysroot"
    packages = {"zlib1g": "usr/lib/libz.so.1.2.13", "nlohmann-json3-dev": "usr/a", "libprotozero-dev": "usr/b"}
    (root / "var/lib/dpkg/info").mkdir(parents=True)
    with (root / "var/lib/dpkg/status").open("w") as status:
        for name, path in packages.items():
            status.write(
                f"Package: {name}\nStatus: install ok installed\nVersion: 1:7-1\nArchitecture: arm64\n"
                "Maintainer: none <none@example.org>\nDescription: none\n\n"
            )
            (root / f"var/lib/dpkg/info/{name}.list").write_text(f"/.\n/{path}\n")
            (root / f"usr/share/doc/{name}").mkdir(parents=True)
            (root / f"usr/share/doc/{name}/copyright").write_text(f"Licence of {name}\n")
    path = wheel("one", PURE | {LIBRARY: zlib[0]})
    status, out = finish(path, "--root", root)
    assert status == 0, out
    with zipfile.ZipFile(path) as made:
        assert made.read(f"{INFO}/licenses/bundled/zlib1g.txt").decode() == "Licence of zlib1g\n"
        assert "pkg:deb/debian/zlib1g@1%3A7-1?arch=arm64" in made.read(f"{INFO}/sboms/penstock.cdx.json").decode()


def test_the_list_follows_the_schema_of_cyclonedx(wheel, finish, zlib):
    validation = pytest.importorskip(
        "cyclonedx.validation.json", reason="pip install 'cyclonedx-python-lib[validation]'"
    )
    from cyclonedx.schema import SchemaVersion

    data, name, _ = zlib
    path = wheel("one", PURE | {f"penstock.libs/{name}": data})
    assert finish(path)[0] == 0
    with zipfile.ZipFile(path) as made:
        text = made.read(f"{INFO}/sboms/penstock.cdx.json").decode()
    assert validation.JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None


def test_a_library_without_a_licence_is_refused(wheel, finish):
    path = wheel("one", PURE | {"penstock.libs/libmystery-1a2b3c4d.so.7": b"\x7fELF"})
    before = path.read_bytes()
    status, out = finish(path)
    assert status == 1
    assert "libmystery-1a2b3c4d.so.7: no package and no codec of None has libmystery.so.7" in out
    assert "build on Debian or Ubuntu" in out
    assert path.read_bytes() == before


def test_libraries_of_pinned_sources_have_their_version_and_licence(checkout, tmp_path):
    spec = importlib.util.spec_from_file_location("finish_wheel", checkout / "ci/finish_wheel.py")
    finish_wheel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(finish_wheel)
    source, build = (tmp_path / f"build/png-prefix/src/png{end}" for end in ("", "-build"))
    for folder in (source, build, tmp_path / "lib"):
        folder.mkdir(parents=True)
    (source / "LICENSE").write_text("PNG Reference Library License\n")
    (tmp_path / "lib/libpng16.so.16.58.0").touch()
    (tmp_path / "lib/libpng16.so.16").symlink_to("libpng16.so.16.58.0")
    (build / "install_manifest.txt").write_text(f"{tmp_path}/lib/libpng16.so.16.58.0\n")
    listed = (checkout / "cmake/codecs/CMakeLists.txt").read_text()
    version = re.search(r"libpng1.6_([0-9.]+)\.orig", listed)[1]
    found = finish_wheel.of_library("penstock.libs/libpng16-1a2b3c4d.so.16", tmp_path, pathlib.Path("/"))
    assert found == ("libpng1.6", version, f"pkg:generic/libpng1.6@{version}", "PNG Reference Library License\n",
                     ("penstock.libs/libpng16-1a2b3c4d.so.16",))  # fmt: skip
