"""Pictures before and after each operator of operator_pictures.toml, made by running it."""

import importlib.util
import io
import pathlib
import tomllib

import numpy as np

import penstock
from penstock import _sheet, fn, types

_CALLS = pathlib.Path(__file__).with_suffix("").with_name("operator_pictures.toml")


def _scenes(root):
    spec = importlib.util.spec_from_file_location("scenes", root / "examples/scenes.py")
    scenes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scenes)
    files = []
    for name in ("boat", "tree"):
        made = io.BytesIO()
        scenes.scene(name, 3, 160).save(made, "JPEG", quality=92)
        files.append(np.frombuffer(made.getvalue(), np.uint8))
    return files


def _run(call, files):
    """(picture before, picture after) of an expression of `images`."""
    with penstock.Pipeline(batch_size=len(files), device_id=types.CPU_ONLY_DEVICE_ID) as pipe:
        images = fn.decoders.image(fn.external_source(source=[files], cycle=True), output_type=types.RGB)
        known = {"fn": fn, "types": types, "np": np, "images": images}
        pipe.set_outputs(images, eval(f"({call})", known))  # noqa: S307 - our own file
    return [_sheet.as_picture(np.asarray(one[0]), one.layout()) for one in pipe.run()]


def add_pictures(root, reference):
    """Draws pictures into `reference` and adds them to its pages. Returns how many pages have one."""
    files, count = _scenes(root), 0
    for group, calls in tomllib.loads(_CALLS.read_text()).items():
        for name, call in calls.items():
            page = reference / group / f"{name}.md"
            if not page.exists():
                raise FileNotFoundError(f"{_CALLS.name} names {group}.{name}, which has no page")
            before, after = _run(call, files)
            drawn = page.with_suffix(".png")
            _sheet.write_png(drawn, _sheet.contact_sheet([before, after], ["before", "after"], 2))
            code = f"```python\n{call.strip()}\n```"
            shown = f"## Before and after\n\n{code}\n\n![{name}: before and after]({drawn.name})\n\n"
            text = page.read_text()
            at = text.index("## ")
            page.write_text(text[:at] + shown + text[at:])
            count += 1
    return count
