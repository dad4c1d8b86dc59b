# %% [markdown]
# # What limits a training loop
#
# Three tools answer this: `explain()` prints the plan, `stats()` says where the time goes, and `trace()` draws a
# timeline.

# %%
import json
import sys
import tempfile
import time

sys.path.insert(0, "../../examples")
from scenes import write_scenes

from penstock import fn, pipeline_def, types

folder = str(write_scenes(tempfile.mkdtemp(), count=40, size=480))


@pipeline_def(batch_size=32, num_threads=2, device_id=types.CPU_ONLY_DEVICE_ID)
def training():
    files, labels = fn.readers.file(file_root=folder, random_shuffle=True)
    images = fn.decoders.image(files, output_type=types.RGB)
    images = fn.random_resized_crop(images, size=(224, 224))
    images = fn.gaussian_blur(images, sigma=2.0)
    return fn.crop_mirror_normalize(images, std=[255.0], output_layout="CHW"), labels


pipe = training()
print(pipe.explain())

# %% [markdown]
# ## Is it the loader?
#
# `consumer_waited_seconds` is the time in which the training loop waited for batches. Here a pause stands for the
# training step. A long step hides the loader, and the loop waits for nothing. With a short one the loop waits most of
# the time: then the loader limits.


# %%
def share_waited(step, batches=12):
    """Of the time of a loop, the part in which it waited for the loader."""
    before, start = pipe.stats()["consumer_waited_seconds"], time.perf_counter()
    for _ in range(batches):
        pipe.run()
        time.sleep(step)
    return (pipe.stats()["consumer_waited_seconds"] - before) / (time.perf_counter() - start)


share_waited(0, 4)  # the first batches include start-up
long, short = share_waited(0.4), share_waited(0.001)
print(f"step of 400 ms: waits {long:4.0%} of the time")
print(f"step of   1 ms: waits {short:4.0%} of the time")
assert long < short

# %% [markdown]
# ## Where does the time go?
#
# `stats()` has the time that each operator takes for a sample:

# %%
operators = sorted(pipe.stats()["operators"], key=lambda one: -one["microseconds_per_sample"])
longest = operators[0]["microseconds_per_sample"]
for one in operators:
    print(
        f"{one['operator']:24}{one['microseconds_per_sample']:8.0f} us ",
        "#" * round(40 * one["microseconds_per_sample"] / longest),
    )

# %% [markdown]
# ## Which thread works when?
#
# `trace` writes a timeline for chrome://tracing or Perfetto. It has an event for each sample and operator:

# %%
with pipe.trace(f"{folder}/timeline.json"):
    for _ in range(3):
        pipe.run()
with open(f"{folder}/timeline.json") as file:
    events = json.load(file)
events = [event for event in events["traceEvents"] if event.get("ph") == "X"]
print(len(events), "events on", len({event["tid"] for event in events}), "threads")
print({key: events[0][key] for key in ("name", "ph", "args")})
