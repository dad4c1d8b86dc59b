"""Runs the notebooks of docs/gallery on the CPU and writes them with their outputs.

usage: run_notebooks.py [NAME...]

A notebook is written as NAME.py. A cell begins at a line "# %%", or "# %% [markdown]" for text behind "# ". From it
NAME.ipynb is made, which is what the site shows. tests/python/test_gallery.py runs all of them, and notices cells that
differ.
"""

import base64
import io
import os
import pathlib
import sys

GALLERY = pathlib.Path(__file__).parent.parent / "docs/gallery"
ENVIRONMENT = {
    "CUDA_VISIBLE_DEVICES": "",
    "JAX_PLATFORMS": "cpu",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "PYTHONWARNINGS": "ignore:there is no GPU",
}


def cells_of(text):
    """[(kind, source)] of a script: "markdown" or "code"."""
    cells = []
    for part in text.split("# %%")[1:]:
        head, _, body = part.partition("\n")
        body = body.strip("\n")
        if head.strip() == "[markdown]":
            cells.append(
                ("markdown", "\n".join(line.removeprefix("#").removeprefix(" ") for line in body.splitlines()))
            )
        else:
            cells.append(("code", body))
    return cells


def notebook_of(text):
    """A notebook without outputs."""
    import nbformat

    make = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    cells = [make[kind](source, id=f"cell-{i}") for i, (kind, source) in enumerate(cells_of(text))]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return nbformat.v4.new_notebook(cells=cells, metadata=kernel)


def make_small(output):
    """Turns a picture into a JPEG file, which takes a tenth of a PNG file of noise."""
    from PIL import Image

    data = output.get("data", {})
    if "image/png" in data:
        made = io.BytesIO()
        Image.open(io.BytesIO(base64.b64decode(data.pop("image/png")))).save(made, "JPEG", quality=80)
        data["image/jpeg"] = base64.b64encode(made.getvalue()).decode()
        data.pop("text/plain", None)


def run(script):
    """Writes the executed notebook beside `script`."""
    import nbformat
    from nbclient import NotebookClient

    notebook = notebook_of(script.read_text())
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(GALLERY)}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times differ from run to run
        for output in cell.get("outputs", []):
            make_small(output)
    nbformat.write(notebook, script.with_suffix(".ipynb"))


def main():
    os.environ.update(ENVIRONMENT)
    names = sys.argv[1:] or sorted(path.stem for path in GALLERY.glob("[0-9]*.py"))
    for name in names:
        run(GALLERY / f"{name}.py")
        print(f"{name}: {(GALLERY / name).with_suffix('.ipynb').stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
