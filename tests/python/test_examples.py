"""The programs of examples/, as a person starts them, on one device and on several."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

import jax_processes
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


@pytest.fixture
def on_devices(script, jax):
    """Runs a script with so many virtual devices of JAX's on the CPU."""
    del jax

    def run(devices, *arguments, timeout=280):
        return script(*arguments, timeout=timeout, JAX_NUM_CPU_DEVICES=str(devices), JAX_PLATFORMS="cpu")

    return run


def accuracies(out):
    return [float(share) for share in re.findall(r"accuracy ([0-9.]+)", out)]


THREE_BATCHES = [
    "one pipeline",
    *(f"  {i}.jpg (48, 64, 3) label 0" for i in range(4)),
    "shard 0 of 2",
    *(f"  {i}.jpg (48, 64, 3) label 0" for i in range(4)),
    "shard 1 of 2",
    *(f"  {i}.jpg (48, 64, 3) label 1" for i in range(4)),
]


def test_pipelines_share_a_folder(script, pictures):
    assert script(EXAMPLES / "multi_gpu.py", pictures).splitlines() == THREE_BATCHES


def test_what_each_pipeline_gave_is_drawn(script, pictures, tmp_path):
    pytest.importorskip("matplotlib")
    script(EXAMPLES / "multi_gpu.py", pictures, "--out", tmp_path / "drawing.png", MPLBACKEND="agg")
    assert (tmp_path / "drawing.png").read_bytes().startswith(b"\x89PNG")


def example(name):
    """A module of examples/."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_network_and_its_step_are_the_tutorials(jax):
    """784-1024-1024-10, 0.1 randn of RandomState(0), tanh, log-softmax, mean cross entropy, plain SGD at 0.001."""
    network = example("model")
    random = np.random.RandomState(0)
    sizes = [(784, 1024), (1024, 1024), (1024, 10)]
    layers = [[(0.1 * random.randn(*shape)).astype(np.float32) for shape in (size, size[1:])] for size in sizes]
    made = network.init_model(np.random.RandomState(0))
    jax.tree.map(np.testing.assert_array_equal, [list(layer) for layer in made], layers)

    images, labels = np.random.RandomState(1).rand(8, 784).astype(np.float32), np.eye(10, dtype=np.float32)[2:]
    (first, first_bias), (second, second_bias), (last, last_bias) = layers
    hidden = np.tanh(np.tanh(images @ first + first_bias) @ second + second_bias)
    powers = np.exp(hidden @ last + last_bias)
    shares = powers / powers.sum(1, keepdims=True)
    batch = {"images": images, "labels": labels}
    np.testing.assert_allclose(network.predict(made, images), np.log(shares), atol=1e-3)
    np.testing.assert_allclose(network.loss(made, batch), -(np.log(shares) * labels).sum(1).mean(), rtol=1e-4)
    weights, bias = (np.asarray(one) for one in network.update(made, batch)[-1])
    np.testing.assert_allclose(bias - last_bias, -0.001 * (shares - labels).mean(0), atol=1e-7)
    np.testing.assert_allclose(weights - last, -0.001 * hidden.T @ (shares - labels) / 8, atol=1e-6)


def test_a_step_of_replicas_is_a_step_on_all_their_samples(on_devices, tmp_path):
    (tmp_path / "code.py").write_text(f"""
import sys
import jax
import numpy as np
sys.path.insert(0, {str(EXAMPLES)!r})
from model import init_model, update, update_parallel
random = np.random.RandomState(1)
batch = {{"images": random.rand(8, 784).astype("float32"), "labels": np.eye(10, dtype="float32")[:8]}}
model = init_model(random)
halves = jax.tree.map(lambda x: x.reshape(2, 4, *x.shape[1:]), batch)
replicas = update_parallel(jax.tree.map(lambda x: np.stack([x] * 2), model), halves)
for whole, both in zip(jax.tree.leaves(update(model, batch)), jax.tree.leaves(replicas)):
    for replica in both:
        np.testing.assert_allclose(replica, whole, atol=1e-6)
print("equal")
""")
    assert on_devices(2, tmp_path / "code.py").strip() == "equal"


def test_accuracy_counts_no_padding(jax):
    del jax
    network = example("model")
    sure = [(np.eye(784, 1024), np.zeros(1024)), (np.eye(1024), np.zeros(1024)), (np.eye(1024, 10), np.zeros(10))]
    images = np.eye(784, dtype=np.float32)[[0, 1, 2, 2]]  # told to be their places
    batch = {"images": images, "labels": np.array([[0], [5], [2], [2]]), "valid": np.array([True, True, True, False])}
    assert network.accuracy(sure, [batch, batch]) == pytest.approx(2 / 3)


@pytest.mark.parametrize("devices", [1, 4])
@pytest.mark.parametrize("style", [[], ["--pmap"]], ids=["sharding", "pmap"])
def test_jax_trains_on_any_number_of_devices(on_devices, digits, style, devices):
    out = on_devices(devices, EXAMPLES / "jax_training.py", digits, "--epochs", "2", "--batch-size", "20", *style)
    assert f"75 batches to train with, 15 to test with, {devices} devices" in out
    first, last = accuracies(out)
    assert 0.5 < first < last


@pytest.mark.parametrize("where", ["SHARDED", "REPLICATED"])
def test_the_devices_of_that_training_see_different_digits(on_devices, digits, tmp_path, where):
    (tmp_path / "code.py").write_text(f"""
import sys
import numpy as np
sys.path.insert(0, {str(EXAMPLES)!r})
from jax_training import {where}, data_iterator, training_data
make = data_iterator(training_data, output_map=["images", "labels"], reader_name="mnist", **{where}[1]())
seen = [set(), set()]
for batch in make(batch_size=20, data_path={str(digits / "training")!r}):
    for device, shard in enumerate(batch["images"].addressable_shards):
        seen[device].update(row.tobytes() for row in np.asarray(shard.data).reshape(-1, 784))
print(*map(len, seen), len(seen[0] & seen[1]))
""")
    first, second, both = map(int, on_devices(2, tmp_path / "code.py").split())
    assert min(first, second) > 700  # of 750, some of which are equal
    assert both < 50


def test_a_resnet_trains_with_flax_and_optax_on_a_mesh_of_two_axes(on_devices, pictures):
    pytest.importorskip("flax.nnx")
    pytest.importorskip("optax")
    command = [EXAMPLES / "jax_resnet.py", pictures, "--model-axis", 2, "--size", 32, "--batch-size", 4]
    out = on_devices(4, *command, "--epochs", 1)
    epochs = re.findall(r"loss ([0-9.]+), ([0-9]+) of ([0-9]+) right", out)
    assert [int(total) for _, _, total in epochs] == [12]
    assert all(0 < float(loss) < 3 for loss, _, _ in epochs)


@pytest.mark.parametrize("processes,devices", [(2, 1), (2, 2)])
def test_jax_mixes_dogs_with_kittens_of_other_devices(jax, processes, devices):
    del jax
    port = jax_processes.free_port()
    commands = [
        [EXAMPLES / "jax_mixup.py", "--coordinator", f"127.0.0.1:{port}", "--processes", processes, "--process", i]
        for i in range(processes)
    ]
    ended = jax_processes.run_all(commands, devices)
    assert [one.status for one in ended] == [0] * processes, [one.out for one in ended]
    lines = [line for one in ended for line in one.out.splitlines() if line.startswith("rows")]
    assert len(lines) == processes * devices
    # Dogs are at 40 + 5 i and kittens at 200 + 5 i for i = 0..7, so that pictures half and half are at 137.5.
    for line in lines:
        assert float(line.rsplit("mean ", 1)[1]) == pytest.approx(137.5, abs=1.5), line


@pytest.fixture
def mpirun(jax):
    """Runs a Python program in two processes of Open MPI; what they printed."""
    del jax
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun here (Debian's openmpi-bin has it)")

    def run(*arguments):
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        command = ["mpirun", "--oversubscribe", "-np", "2", sys.executable, *map(str, arguments)]
        environment = jax_processes.environment_of(**root)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_mpirun_alone_tells_the_examples_which_process_they_are(mpirun, digits):
    out = mpirun(EXAMPLES / "jax_mixup.py", "--distributed")
    assert sorted(re.findall(r"rows slice\((\d+), .*? mean ([0-9]+)", out)) == [("0", "137"), ("8", "137")], out
    for style in ([], ["--pmap"]):
        out = mpirun(EXAMPLES / "jax_training.py", digits, "--epochs", 1, "--batch-size", 20, "--distributed", *style)
        assert out.count("75 batches to train with, 15 to test with, 2 devices") == 2
        [accuracy] = accuracies(out)
        assert accuracy > 0.5


@pytest.mark.parametrize("backend", ["jax", "torch", "tensorflow"])
def test_keras_trains_on_each_of_its_back_ends(script, digits, backend):
    for package in ("keras", backend):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    out = script(EXAMPLES / "keras_training.py", digits, "--epochs", "2", "--batch-size", 20, KERAS_BACKEND=backend)
    assert f"{backend}: 75 batches to train with, 14 to test with" in out
    first, last = accuracies(out)
    assert 0.5 < first < last


@pytest.mark.parametrize("processes", [1, 2])
def test_pytorch_trains_in_any_number_of_processes(script, torch, digits, processes):
    del torch
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", processes] if processes > 1 else []
    command = [*launcher, EXAMPLES / "pytorch_training.py", digits, "--epochs", "2", "--batch-size", 20]
    out = script(*command, OMP_NUM_THREADS="1")
    assert f"Epoch 1: {75 // processes} steps of {processes} x 20 samples" in out
    assert out.count("of 297") == 2  # every picture once, whoever saw it
    assert accuracies(out)[-1] > 0.7


both_modes = pytest.mark.parametrize(
    "launcher",
    [[], ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2]],
    ids=["DataParallel", "torchrun"],
)
ON_CPUS = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}


@pytest.mark.usefixtures("torchvision")
@both_modes
@pytest.mark.parametrize("loader", ["penstock", "torch"])
def test_a_folder_of_pictures_trains_a_network(script, pictures, launcher, loader):
    small = ["--model", "squeezenet1_1", "--size", 48, "--batch-size", 3, "--epochs", 2, "--loader", loader]
    out = script(*launcher, EXAMPLES / "folder_training.py", pictures, *small, **ON_CPUS)
    line = r"epoch (\d): loss [0-9.]+, [0-9.]+ pictures/s in (\d) steps, GPU utilisation: not measured \(no GPU\)\n"
    assert re.findall(line, out) == [("0", "2" if launcher else "4"), ("1", "2" if launcher else "4")]


# Every GPU is as busy as its name says.
NVIDIA_SMI = """#!/bin/sh
[ "$2 $3 $4" = "--query-gpu=utilization.gpu --format=csv,noheader,nounits --loop-ms=100" ] || exit 2
echo $$ >"$(dirname "$0")/pid"
while :; do
  echo "${1#--id=}" | tr , "\\n"
  sleep 0.01
done
"""


@pytest.fixture
def nvidia_smi(tmp_path, monkeypatch):
    """A pretended nvidia-smi on PATH; the folder that it is in and writes its number into."""
    (tmp_path / "nvidia-smi").write_text(NVIDIA_SMI)
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path


@pytest.mark.usefixtures("torchvision")
@both_modes
def test_training_on_a_folder_tells_how_busy_all_gpus_were(script, pictures, nvidia_smi, launcher):
    (nvidia_smi / "code.py").write_text(f"""
import os
import sys
sys.path.insert(0, {str(EXAMPLES)!r})
import folder_training
names = ["20", "60"]
if "RANK" in os.environ:
    names = [names[int(os.environ["RANK"])]]
folder_training.names_of_gpus = lambda device: names
folder_training.main()
""")
    small = ["--model", "squeezenet1_1", "--batch-size", 2, "--epochs", 1]
    devices = [] if launcher else ["--devices", "cpu:0", "cpu:1"]
    out = script(*launcher, nvidia_smi / "code.py", pictures, *small, *devices, **ON_CPUS)
    [percent] = re.findall(r"GPU utilisation: (\d+) %", out)
    assert 20 < int(percent) < 60


def wait_for(percents, count):
    while len(percents) < count:
        time.sleep(0.01)


@pytest.mark.usefixtures("torchvision")
def test_watching_gpus_ends_with_what_it_watches(nvidia_smi):
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt), example("folder_training").watch(["20", "60"]) as percents:
        wait_for(percents, 4)
        raise KeyboardInterrupt
    assert percents[:4] == [20, 60, 20, 60]
    assert threading.active_count() == threads
    with pytest.raises(ProcessLookupError):
        os.kill(int((nvidia_smi / "pid").read_text()), 0)


@pytest.mark.usefixtures("torchvision")
@pytest.mark.parametrize("there", [True, False], ids=["no answer", "no nvidia-smi"])
def test_no_figure_is_made_up(nvidia_smi, torch, monkeypatch, there):
    training = example("folder_training")
    monkeypatch.setattr(training, "names_of_gpus", lambda device: ["[N/A]"])
    if not there:
        (nvidia_smi / "nvidia-smi").unlink()
        monkeypatch.setenv("PATH", str(nvidia_smi))
    with training.watch(["[N/A]"]) as percents:
        wait_for(percents, there)
        assert training.utilisation(percents, torch.device("cpu")) == "not measured (no figures from nvidia-smi)"


def test_data_parallel_splits_gathers_and_learns(script, torch):
    del torch
    out = script(EXAMPLES / "data_parallel.py", "--devices", "cpu:1", "cpu:3", OMP_NUM_THREADS="1")
    lines = out.splitlines()
    assert sorted(lines[1:3]) == [
        "  penstock cpu:1: input (2, 32), output (2, 64)",
        "  penstock cpu:3: input (1, 32), output (1, 64)",
    ]
    assert lines[3] == "  gathered on cpu:1: (3, 64)"
    before, after = map(float, re.search(r"loss ([0-9.]+), then ([0-9.]+)", out).groups())
    assert after < before
    assert "must have its parameters and buffers on device cpu:1 (device_ids[0]) but found one of them" in lines[-1]


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_jax_learns_as_in_the_tutorial(on_devices, shared):
    """MNIST as in DALI's tutorial, 300 batches of 200 an epoch: the accuracies that it prints, on two GPUs.

    With other shuffles of Penstock and of DALI itself they move by 0.002. The tutorial draws the weights of its second
    model after those of the first; equal weights would give 0.673 after the first epoch of both.
    """
    sharded, replicated = [0.6739, 0.7844, 0.8244, 0.8455, 0.8602], [0.6885, 0.7829, 0.8222, 0.8438, 0.8580]
    out = on_devices(2, EXAMPLES / "jax_training.py", shared / "mnist", "--both", timeout=1200)
    assert out.count("300 batches to train with, 50 to test with, 2 devices") == 2
    assert accuracies(out) == pytest.approx(sharded + replicated, abs=0.015)


def losses(out):
    return [float(loss) for loss in re.findall(r"loss ([0-9.]+)", out)]


DETECTORS = ["detector_pytorch.py", "detector_jax.py"]


@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_learns(name, on_devices):
    """Two devices, a few steps."""
    pytest.importorskip("torch" if "torch" in name else "flax")
    devices = ["--devices", "cpu:0", "cpu:1"] if "torch" in name else []
    out = on_devices(2, EXAMPLES / name, "--epochs", "3", "--pictures", "48", *devices)
    assert losses(out)[2] < 0.8 * losses(out)[0], out
    assert "average precision" in out


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_finds_shapes(name, on_devices):
    pytest.importorskip("pycocotools")
    pytest.importorskip("torch" if "torch" in name else "flax")
    out = on_devices(1, EXAMPLES / name, timeout=1100)
    precision = float(re.search(r"average precision ([0-9.]+)", out)[1])
    assert precision > 0.85, out


def test_spheres_are_found_in_volumes(script):
    pytest.importorskip("torch")
    out = script(
        EXAMPLES / "segmentation_3d.py", "--epochs", "3", "--volumes", "12", "--devices", "cpu:0", "cpu:1", timeout=280
    )
    assert losses(out)[2] < 0.9 * losses(out)[0], out
    assert float(re.search(r"dice ([0-9.]+)", out)[1]) > 0.4, out


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_spheres_are_found_well(script):
    pytest.importorskip("torch")
    out = script(EXAMPLES / "segmentation_3d.py", timeout=1100)
    assert float(re.search(r"dice ([0-9.]+)", out)[1]) > 0.8, out
