"""The command line: ``penstock doctor``, ``penstock pack``, ``penstock index``, ``penstock inspect``,
``penstock view``, ``penstock bench``.

``python -m penstock`` is the same.
"""

import argparse
import importlib
import sys

_COMMANDS = {  # name -> what the list of commands says; each is a module with add_arguments(parser) and run(options)
    "doctor": "Say what is there, what is missing, and what to do about it; measure what will limit",
    "pack": "Pack a data set of pictures into another kind of container: LMDB, tar, TFRecord, Parquet, folders",
    "index": "Write the index of a tar, of TFRecords or of RecordIO, as DALI's scripts do",
    "inspect": "Say what a data set is: how many samples, formats, labels, what is damaged",
    "view": "Draw a contact sheet of a pipeline's batch or of a data set; or show it on a live page",
    "bench": "Measure this machine beside other loaders, or say what limits your own training script",
}


def main(arguments=None):
    """Runs one command. Returns the exit status: 0, or 1 when the command cannot be done or found fault."""
    parser = argparse.ArgumentParser(prog="penstock", description="Brings training data to every GPU.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in _COMMANDS.items():
        module = importlib.import_module(f".{name}", __name__)
        command = commands.add_parser(name, help=summary, description=module.__doc__)
        command.formatter_class = argparse.RawDescriptionHelpFormatter
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    options = parser.parse_args(arguments)
    try:
        return options.run(options)
    except (OSError, RuntimeError, TypeError, ValueError) as e:
        print(f"penstock {options.command}: {e}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
