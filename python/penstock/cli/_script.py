"""The pipelines that SCRIPT.py:function, or a folder of pictures, stand for."""

import ast
import importlib.util
import inspect
import pathlib
import sys

from .. import Pipeline, fn, pipeline_def, types

_BATCH = 32  # where the pipeline does not say


def parts_of(what):
    """(path of the script, name in it). `ValueError` and `FileNotFoundError` where there is no such script."""
    script, _, name = what.rpartition(":")
    if not script:
        raise ValueError(f"{what} is no folder; name a pipeline as SCRIPT.py:function")
    if not pathlib.Path(script).is_file():
        raise FileNotFoundError(f"there is no script {script}")
    return script, name


def of_script(what, settings):
    """(pipeline, what the script calls by that name)"""
    script, name = parts_of(what)
    spec = importlib.util.spec_from_file_location(pathlib.Path(script).stem, script)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(pathlib.Path(script).resolve().parent))  # as if the script itself were run
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.path[0]
    if not hasattr(module, name):
        raise ValueError(f"{script} has no {name!r}")
    function = getattr(module, name)
    return _pipeline_of(function, dict(_setting(text) for text in settings)), function


def _setting(text):
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set takes NAME=VALUE, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value  # a word that needs no quotes


def _pipeline_of(function, given):
    if isinstance(function, Pipeline):
        return function
    definition = inspect.unwrap(function)
    wanted = inspect.signature(definition).parameters
    given = {name: value for name, value in {"shard_id": 0, "num_shards": 1}.items() if name in wanted} | given
    missing = [name for name, one in wanted.items() if _must_be_given(one) and name not in given]
    if missing:
        raise ValueError(f"the function asks for {missing[0]!r}; give it with --set {missing[0]}=VALUE")
    if getattr(function, "_is_pipeline_def", False):
        pipeline = function(**given)
        return pipeline if pipeline.max_batch_size else function(batch_size=_BATCH, **given)
    with Pipeline(batch_size=_BATCH) as pipeline:
        made = definition(**given)
    if isinstance(made, Pipeline):
        return made
    pipeline.set_outputs(*(made if isinstance(made, (tuple, list)) else (made,)))
    return pipeline


def _must_be_given(parameter):
    return parameter.default is parameter.empty and parameter.kind not in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    )


def of_folder(folder):
    """(pipeline, names of the classes) of a data set."""
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())

    @pipeline_def(batch_size=_BATCH, on_error="zero")
    def pictures():
        if (folder / "data.mdb").exists():
            files, labels = fn.readers.caffe2(path=str(folder), epoch_end="partial")
        elif names:
            files, labels = fn.readers.file(file_root=str(folder), random_shuffle=True, epoch_end="partial")
        else:
            files, labels = fn.readers.file(files=_pictures_in(folder), epoch_end="partial")
        return fn.decoders.image(files, output_type=types.RGB), labels

    return pictures(), names


def _pictures_in(folder):
    files = sorted(str(entry) for entry in folder.iterdir() if entry.is_file() and not entry.name.startswith("."))
    if not files:
        raise FileNotFoundError(f"there are no pictures in {folder}")
    return files
