"""Gives a repaired wheel the licences of all that it carries and a list of it (SBOM), and packs it reproducibly.

usage: finish_wheel.py WHEEL [--codecs FOLDER] [--root FOLDER]

Libraries that auditwheel copied are looked up in --codecs (what cmake/codecs built), then among Debian's packages (of
another processor: those that ci/cross.sh unpacked in --root); what is compiled in is listed in COMPILED_IN. Their
licences go to *.dist-info/licenses/bundled, a CycloneDX list of them to *.dist-info/sboms (PEP 770). A library without
a licence is an error. Entries are sorted, and their times are SOURCE_DATE_EPOCH, so that equal files make equal wheels.
"""

import argparse
import base64
import hashlib
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile
from typing import NamedTuple
from urllib.parse import quote

# Headers whose code is in our libraries: Python packages, and Debian's.
COMPILED_IN = {"pypi": ["nanobind", "jaxlib"], "deb": ["nlohmann-json3-dev", "libprotozero-dev"]}
FIRST_TIME = 315532800  # 1980-01-01: zip files know no earlier one


class Component(NamedTuple):
    """What a wheel carries, as its makers call it; `licence` is a text, `places` are files of the wheel."""

    name: str
    version: str
    purl: str
    licence: str
    places: tuple = ()


def original_name(path):
    """`libz.so.1.2.13` of auditwheel's `penstock.libs/libz-1a2b3c4d.so.1.2.13`."""
    return re.sub(r"-[0-9a-f]{8,}(?=\.so)", "", path.rpartition("/")[2])


def dpkg_query(root, *arguments):
    """What `dpkg-query` says of the packages in `root`; empty where it knows nothing of them, or is not there."""
    command = ["dpkg-query", f"--admindir={root / 'var/lib/dpkg'}", *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""


def of_debian(package, root, places=()):
    """The component that Debian's `package` is; `LookupError` where it is not in `root` or has no copyright file."""
    told = dpkg_query(root, "-W", "-f", "${Package} ${Version} ${Architecture}", package)
    if not told:
        raise LookupError(f"Debian's package {package} is not installed: ci/install_system.sh build")
    name, version, architecture = told.split()
    licence = root / f"usr/share/doc/{name}/copyright"
    if not licence.exists():
        raise LookupError(f"{licence} is missing: install {name} again, with its documentation")
    purl = f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={architecture}"
    text = licence.read_text(errors="replace")
    for common in sorted(set(re.findall(r"/usr/share/common-licenses/[\w.+-]*\w", text))):
        path = pathlib.Path(common)
        if path.is_file():  # what the text refers to has to come along
            text += f"\n{'=' * 78}\n{common}\n{'=' * 78}\n{path.read_text(errors='replace')}"
    return Component(name, version, purl, text, tuple(places))


def of_python(package):
    """The component that an installed Python package is; `LookupError` where it has no licence file."""
    places = [str(pathlib.Path(__file__).parent.parent / "build/jaxlib"), *sys.path]  # ci/wheel.sh takes an old jaxlib
    found = next(iter(importlib.metadata.distributions(name=package, path=places)), None)
    if found is None:
        raise LookupError(f"the Python package {package} is not installed: ci/venv.sh test")
    texts = [file.read_text() for file in found.files or () if re.match(r"(?i)(licen[cs]e|copying)", file.name)]
    if not texts:
        raise LookupError(f"the Python package {package} has no licence file: build with a release that has one")
    return Component(package, found.version, f"pkg:pypi/{package}@{found.version}", "\n".join(texts))


def of_cuda():
    """CUDA's runtime, which libpenstock_cuda has in it, as `nvcc`'s toolkit has it. `LookupError` without licence."""
    compiler = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    toolkit = pathlib.Path(compiler).resolve().parent.parent
    told = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"\bV([0-9.]+)", told)[1]
    texts = [toolkit / "EULA.txt", *sorted(toolkit.glob("dist-info/nvidia_cuda_runtime-*/**/License.txt"))]
    found = [path for path in texts if path.is_file()]
    licence = found[0].read_text(errors="replace") if found else of_python("nvidia-cuda-runtime").licence
    return Component("nvidia-cuda-runtime", version, f"pkg:generic/nvidia-cuda-runtime@{version}", licence)


def of_codecs(folder, name):
    """The (name, version, licence) of the library file `name` that cmake/codecs built in `folder`, or None."""
    if folder is None or not (folder / "lib" / name).exists():
        return None
    target = (folder / "lib" / name).resolve().name
    for manifest in sorted(folder.glob("build/*-prefix/src/*-build/install_manifest.txt")):
        if target not in {pathlib.Path(line).name for line in manifest.read_text().splitlines()}:
            continue
        codec = manifest.parent.name.removesuffix("-build")
        listed = (pathlib.Path(__file__).parent.parent / "cmake/codecs/CMakeLists.txt").read_text()
        project, version = re.search(rf"codec\({codec} \S+ (\S+?)_([0-9.]+)\.orig", listed).groups()
        source = manifest.parent.parent / codec
        files = [
            path for path in sorted(source.iterdir()) if re.match(r"(?i)(licen[cs]e|copying|copyright)", path.name)
        ]
        if not files:
            raise LookupError(f"{source} has no licence file: name its in ci/finish_wheel.py")
        licence = "\n".join(path.read_text(errors="replace") for path in files if path.is_file())
        return project, version, licence
    return None


def of_library(path, codecs, root):
    """The component that the library at `path` of the wheel belongs to. `LookupError` where nothing is known of it."""
    name = original_name(path)
    built = of_codecs(codecs, name)
    if built is not None:
        project, version, licence = built
        return Component(project, version, f"pkg:generic/{quote(project)}@{version}", licence, (path,))
    owners = dpkg_query(root, "-S", f"*/{name}")
    packages = sorted({line.partition(":")[0] for line in owners.splitlines() if line.endswith(f"/{name}")})
    if not packages:
        raise LookupError(
            f"{path}: no package and no codec of {codecs} has {name}, so that its licence is not known; "
            "build on Debian or Ubuntu with the libraries of their packages, or with CODECS=1"
        )
    return of_debian(packages[0], root, (path,))


def components_of(files, codecs, root):
    """What is in the wheel of these `files` ({path: bytes}), sorted by name; libraries of one package are together."""
    found = [of_library(path, codecs, root) for path in sorted(files) if ".libs/" in path]
    if any(path.endswith(".so") or ".so." in path for path in files):
        found += [of_python(package) for package in COMPILED_IN["pypi"]]
        found += [of_debian(package, root) for package in COMPILED_IN["deb"]]
    if any("libpenstock_cuda.so" in path for path in files):
        found.append(of_cuda())
    joined = {}
    for one in found:
        before = joined.get(one.purl)
        joined[one.purl] = one if before is None else before._replace(places=before.places + one.places)
    return sorted(joined.values(), key=lambda one: (one.name, one.purl))


def licence_place(component):
    return f"bundled/{re.sub(r'[^A-Za-z0-9.+-]', '_', component.name)}.txt"


def bill(name, version, components, files, epoch):
    """The CycloneDX 1.6 list of `components`, as JSON; equal for equal arguments."""
    whole = {"type": "library", "bom-ref": "wheel", "name": name, "version": version,
             "purl": f"pkg:pypi/{name}@{version}"}  # fmt: skip
    listed = []
    for one in components:
        entry = {"type": "library", "bom-ref": one.purl, "name": one.name, "version": one.version, "purl": one.purl}
        entry["properties"] = [{"name": "penstock:licence-file", "value": f"licenses/{licence_place(one)}"}]
        if one.places:
            entry["evidence"] = {"occurrences": [{"location": place} for place in one.places]}
            entry["components"] = [
                {"type": "file", "bom-ref": place, "name": place,
                 "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(files[place]).hexdigest()}]}
                for place in one.places
            ]  # fmt: skip
        listed.append(entry)
    made = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)), "component": whole},
        "components": listed,
        "dependencies": [{"ref": "wheel", "dependsOn": [one.purl for one in components]}],
    }  # fmt: skip
    return (json.dumps(made, indent=1) + "\n").encode()


def finished(files, codecs, root, epoch):
    """`files` of a wheel with licences, list and a new RECORD."""
    [metadata] = [path for path in files if re.fullmatch(r"[^/]+\.dist-info/METADATA", path)]
    info = metadata.rpartition("/")[0]
    name, version = info.removesuffix(".dist-info").split("-")
    # Anew each time: a wheel may be finished twice. auditwheel's own list knows no licences and nothing compiled in.
    left = (f"{info}/sboms/", f"{info}/licenses/bundled/")
    files = {path: data for path, data in files.items() if not path.startswith(left)}
    components = components_of(files, codecs, root)
    head, _, body = files[metadata].decode().partition("\n\n")
    lines = [line for line in head.splitlines() if not line.startswith("License-File: bundled/")]
    places = {licence_place(one): one.licence.encode() for one in components}
    lines += [f"License-File: {place}" for place in places]
    files[metadata] = ("\n".join(lines) + "\n\n" + body).encode()
    files |= {f"{info}/licenses/{place}": text for place, text in places.items()}
    files[f"{info}/sboms/{name}.cdx.json"] = bill(name, version, components, files, epoch)
    record = f"{info}/RECORD"
    files.pop(record, None)
    rows = []
    for path in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[path]).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(files[path])}\n")
    files[record] = ("".join(rows) + f"{record},,\n").encode()
    return files, components


def pack(path, files, modes, epoch):
    """Writes a zip file that depends on the arguments alone."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name in sorted(files, key=lambda name: (".dist-info/" in name, name.endswith("/RECORD"), name)):
            entry = zipfile.ZipInfo(name, time.gmtime(max(epoch, FIRST_TIME))[:6])
            entry.create_system = 3  # Unix, whose modes these are
            entry.external_attr = (0o100755 if modes.get(name, 0) & 0o100 else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[name])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--codecs", type=pathlib.Path, help="where cmake/codecs was built")
    parser.add_argument("--root", type=pathlib.Path, default="/", help="where Debian's packages of the libraries are")
    options = parser.parse_args()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_TIME))
    with zipfile.ZipFile(options.wheel) as wheel:
        entries = [entry for entry in wheel.infolist() if not entry.is_dir()]
        files = {entry.filename: wheel.read(entry) for entry in entries}
        modes = {entry.filename: entry.external_attr >> 16 for entry in entries}
    try:
        files, components = finished(files, options.codecs, options.root, epoch)
    except LookupError as fault:
        sys.exit(f"finish_wheel.py: {fault}")
    made = options.wheel.with_suffix(".new")
    pack(made, files, modes, epoch)
    made.replace(options.wheel)
    for one in components:
        if re.match(r"libjbig", one.name):
            print(f"note: {one.name} is under the GPL, which then holds for passing this wheel on, too")
        print(f"{one.name} {one.version}: {', '.join(one.places) or 'compiled in'}")


if __name__ == "__main__":
    main()
