"""The databases that the training examples read."""

from penstock import packing

PARTS = {"training": "train", "testing": "t10k"}


def databases(folder, cache):
    """The databases for training and testing: those in `folder`, or ones made in `cache` from MNIST's files there."""
    made = []
    for name, prefix in PARTS.items():
        database = folder / name
        if not (database / "data.mdb").exists():
            images, labels = (next(folder.glob(f"{prefix}-{what}-ubyte*")) for what in ("images-idx3", "labels-idx1"))
            database = cache / name
            packing.pack_idx(images, labels, database)
        made.append(str(database))
    return made
