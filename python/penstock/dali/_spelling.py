"""What operators are called: DALI's library has `readers__TFRecord` for what is `readers.tfrecord` in `fn`."""

import re

_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
_ONE_WORD = {"b_box": "bbox", "mx_net": "mxnet", "tf_record": "tfrecord"}


def snake_case(name):
    """`OneTwo` -> `one_two`, `STFT_CPU` -> `stft_cpu`."""
    made = _BETWEEN_WORDS.sub("_", name).lower()
    for parted, whole in _ONE_WORD.items():
        made = made.replace(parted, whole)
    return made


def operator_name(schema_name, api="fn"):
    """The name in the `api`, "fn" or "ops", of what the library calls `schema_name`."""
    *modules, name = schema_name.split("__")
    return ".".join([*modules, snake_case(name) if api == "fn" else name])
