# %% [markdown]
# # Resume in the middle of an epoch, on another number of ranks
#
# A run on two ranks is interrupted in its first epoch and goes on with three. The samples that were not yet seen are
# divided anew: each sample of the epoch is seen once. Ranks are loaders of one process here; under `torchrun` each
# loader would find its own rank.

# %%
import collections
import json
import sys
import tempfile

sys.path.insert(0, "../../examples")
from scenes import write_scenes

from penstock import fn, pipeline_def
from penstock.torch import Loader

folder = write_scenes(tempfile.mkdtemp(), count=20, size=24)
files = sorted(str(path) for path in folder.rglob("*.jpg"))


@pipeline_def(batch_size=4)
def numbers():
    """The number of each file; a training pipeline would decode the file, too."""
    _, label = fn.readers.file(files=files, labels=list(range(len(files))), random_shuffle=True)
    return label


def loaders(count):
    return [Loader(numbers(), epoch_end="partial", shard=(rank, count)) for rank in range(count)]


# %% [markdown]
# Two ranks take four batches each, then save. One rank's state serves all, and it is small.

# %%
seen = collections.Counter()
for loader in (two := loaders(2)):
    batches = iter(loader)
    for _ in range(4):
        seen.update(int(number) for number in next(batches)[0].ravel())
state = two[0].state_dict()
print(f"{sum(seen.values())} of {len(files)} samples seen; the state is {len(json.dumps(state))} characters")

# %% [markdown]
# Three ranks go on:

# %%
for rank, loader in enumerate(loaders(3)):
    loader.load_state_dict(state)
    mine = [int(number) for batch in loader for number in batch[0].ravel()]
    seen.update(mine)
    print(f"rank {rank} of 3: {len(mine)} samples")
print(f"{len(seen)} different samples, each seen {set(seen.values())} time")
assert len(seen) == len(files) and set(seen.values()) == {1}

# %% [markdown]
# The state of another pipeline is refused, with the first difference:


# %%
@pipeline_def(batch_size=4)
def others():
    _, label = fn.readers.file(files=files[:30], random_shuffle=True)
    return label


try:
    Loader(others(), epoch_end="partial", shard=(0, 2)).load_state_dict(state)
except ValueError as error:
    print(error)
