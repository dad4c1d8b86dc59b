"""Files that others see as a whole or not at all."""

import contextlib
import os
import secrets


@contextlib.contextmanager
def whole_file(path, mode):
    """Opens what takes the place of `path` when the block ends; an error leaves `path` as it was.

    Processes may write the same file at one time: each writes beside it under a name of its own.
    """
    part = f"{os.fspath(path)}.{secrets.token_hex(8)}.part"
    try:
        with open(part, mode) as file:
            yield file
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise
