"""The operators' schemas as tools/schema_dump prints them, grouped and spelt for the printers."""

import importlib.util
import pathlib

NOTE = "Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`."
ROOT = pathlib.Path(__file__).parents[2]


def _enumerations():
    spec = importlib.util.spec_from_file_location("enumerations", ROOT / "python/penstock/_enumerations.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_ENUMERATIONS = _enumerations()


def default_of(arg):
    """The default as Python source; "None" where none is given."""
    value = arg["default"]
    if arg["type"] == "dict of str" and value is not None:
        return repr(dict(value))  # JSON has it as pairs
    if value is None or not arg["type"].startswith("DALI"):
        return repr(value)
    return str(getattr(_ENUMERATIONS, arg["type"])(value))


def shown(schema):
    """Arguments that people see, required ones first, then by name."""
    args = [arg for arg in schema["args"] if not arg["hidden"]]
    if schema["random"] and not any(arg["name"] == "seed" for arg in args):
        seed = "Seed of this operator's random numbers; by default made from the pipeline's seed."
        args.append({"name": "seed", "type": "int", "default": None, "doc": seed} | dict.fromkeys(FLAGS, False))
    return sorted(args, key=lambda arg: (not arg["required"], arg["name"]))


FLAGS = ("per_sample", "required", "hidden", "ignored")


def path_of(schema):
    """ "<group>/<name>" of an operator's own files: "image/resize", "readers/file", "readers/experimental.video"."""
    group = schema["group"]
    return f"{group}/{schema['name'].removeprefix(group + '.')}"


def by_group(schemas):
    """Folder of the sources -> schemas, both in alphabetical order."""
    groups = {}
    for schema in sorted(schemas, key=lambda one: (one["group"], one["name"])):
        groups.setdefault(schema["group"], []).append(schema)
    return groups
