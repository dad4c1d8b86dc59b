"""The lines of docs/clusters.md, run by real launchers as they stand there, on the CPU: ranks divide the data set."""

import contextlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import slurm
from test_readme import module_of

ROOT = pathlib.Path(__file__).parents[2]
GUIDE = ROOT / "docs/clusters.md"
FILES = 15


def lines():
    """Lines of the guide that print shards. Ray's processes import for a minute before they begin."""
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text().partition("## Training")[0], re.DOTALL)
    found = [line for block in blocks for line in block.splitlines() if "shards.py" in line]
    slow = [pytest.mark.slow, pytest.mark.timeout(900)]
    return [pytest.param(line, marks=slow if "ray_" in line else []) for line in found]


@pytest.fixture
def shell(tmp_path):
    """Runs a line in a folder as readers of the guide have it: examples/, pictures/, and programs called `python`."""
    pytest.importorskip("torch")
    pytest.importorskip("PIL.Image")
    module_of(ROOT / "examples/scenes.py").write_scenes(tmp_path / "pictures", 5, 40)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for name, module in (("python", ""), ("torchrun", " -m torch.distributed.run")):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
        program.chmod(0o755)

    def run(line, timeout=240, **variables):
        environment = os.environ | {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
        # What Open MPI asks of those that are root, or have fewer cores than processes.
        environment |= {f"OMPI_ALLOW_RUN_AS_ROOT{end}": "1" for end in ("", "_CONFIRM")}
        environment |= {
            "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_AUTH_MODE": "disabled",
        }
        environment |= variables
        environment["PATH"] = os.pathsep.join([str(tmp_path / "bin"), environment["PATH"]])
        done = subprocess.run(
            ["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=timeout
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


@pytest.fixture
def launcher_of():
    """The variables that a line's launcher needs; skips where it is not installed."""
    with contextlib.ExitStack() as running:

        def prepare(line):
            first = line.split()[0]
            if first == "mpirun" and shutil.which("mpirun") is None:
                pytest.skip("no mpirun here (Debian's openmpi-bin has it)")
            if first == "srun":
                if lacking := slurm.missing():
                    pytest.skip(f"no {', '.join(lacking)} here (Debian's slurmctld, slurmd, slurm-client, munge)")
                return running.enter_context(slurm.cluster())
            if "ray_" in line and importlib.util.find_spec("ray") is None:
                pytest.skip("no ray here (pip install 'ray[train]')")
            if first == "for" or "--distributed" in line:
                pytest.importorskip("jax")
            return {}

        yield prepare


def check_shards(out, ranks=2):
    """Each rank printed its samples, and together they are the data set."""
    lines = re.findall(rf"rank (\d+) of {ranks}: (\d+) of {FILES} samples: ([\d ]+)", out)
    told = set(lines)  # Ray shows what workers print twice
    assert sorted(int(rank) for rank, *_ in told) == list(range(ranks)), out
    shards = [[int(number) for number in numbers.split()] for *_, numbers in told]
    assert [len(shard) for shard in shards] == [int(count) for _, count, _ in told]
    assert max(map(len, shards)) - min(map(len, shards)) <= 1
    assert sorted(number for shard in shards for number in shard) == list(range(FILES)), out


def test_the_guide_has_a_line_for_each_launcher():
    assert {line.values[0].split()[0] for line in lines()} == {"torchrun", "mpirun", "srun", "for", "python"}


@pytest.mark.parametrize("line", lines())
def test_lines_of_the_guide_divide_the_data_set(line, shell, launcher_of):
    check_shards(shell(line, timeout=840 if "ray_" in line else 240, **launcher_of(line)))


@pytest.mark.parametrize("gpus", ["", "--ntasks-per-node 2 --gpus-per-node 2 "])
def test_srun_alone_tells_a_program_of_jax_which_process_it_is(gpus, shell):
    pytest.importorskip("jax")
    if lacking := slurm.missing():
        pytest.skip(f"no {', '.join(lacking)} here (Debian's slurmctld, slurmd, slurm-client, munge)")
    with slurm.cluster(gpus=2) as variables:
        out = shell(f"srun --ntasks 2 {gpus}python examples/jax_mixup.py --distributed", **variables)
    # Half a dark picture and half a light one of the other process (examples/jax_mixup.py).
    assert sorted(re.findall(r"rows slice\((\d+), .*? mean ([0-9]+)", out)) == [("0", "137"), ("8", "137")], out


def test_shards_that_overlap_are_noticed():
    whole = " ".join(map(str, range(FILES)))
    for wrong in (f"rank 0 of 2: 15 of 15 samples: {whole}\nrank 1 of 2: 15 of 15 samples: {whole}",
                  f"rank 0 of 1: 15 of 15 samples: {whole}"):  # fmt: skip
        with pytest.raises(AssertionError):
            check_shards(wrong)


@pytest.fixture
def job_set():
    yaml = pytest.importorskip("yaml")
    [text] = re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    return yaml.safe_load(text)


def test_the_job_set_starts_a_pod_for_each_node(job_set):
    [hosts] = job_set["spec"]["replicatedJobs"]
    job = hosts["template"]["spec"]
    pod = job["template"]["spec"]
    [container] = pod["containers"]
    line = container["command"][-1]
    assert (job_set["apiVersion"], job_set["kind"]) == ("jobset.x-k8s.io/v1alpha2", "JobSet")
    assert job["completionMode"] == "Indexed"  # else pods have no JOB_COMPLETION_INDEX
    assert f"--nnodes {job['completions']} " in line
    assert job["parallelism"] == job["completions"]
    assert pod["restartPolicy"] == "Never"
    assert f"--nproc-per-node {container['resources']['limits']['nvidia.com/gpu']} " in line
    # JobSet calls pods <set>-<job>-<number of the job>-<index>, in the domain <set>.
    name = job_set["metadata"]["name"]
    assert f"--master-addr {name}-{hosts['name']}-0-0.{name} " in line
    assert {one["name"] for one in container["volumeMounts"]} == {one["name"] for one in pod["volumes"]}


def strict(schema):
    """The schema of a custom resource with fields that it does not name forbidden."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(one) for key, one in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        closed.setdefault("additionalProperties", False)
    if schema.get("x-kubernetes-int-or-string"):
        closed.pop("anyOf", None)
    return closed


def test_the_job_set_follows_its_schema(job_set):
    jsonschema, yaml = pytest.importorskip("jsonschema"), pytest.importorskip("yaml")
    path = os.environ.get("PENSTOCK_JOBSET_CRD")
    if path is None:
        pytest.skip("PENSTOCK_JOBSET_CRD names no jobset.x-k8s.io_jobsets.yaml (of kubernetes-sigs/jobset)")
    [version] = yaml.safe_load(pathlib.Path(path).read_text())["spec"]["versions"]
    schema = strict(version["schema"]["openAPIV3Schema"])
    schema["properties"]["metadata"] = {"type": "object"}  # the API server's own check
    job = schema["properties"]["spec"]["properties"]["replicatedJobs"]["items"]["properties"]["template"]
    job["properties"]["metadata"] = {"type": "object"}
    jsonschema.validate(job_set, schema)
    job_set["spec"]["replicatedJobs"][0]["replica"] = 1
    with pytest.raises(jsonschema.ValidationError, match="replica"):
        jsonschema.validate(job_set, schema)


def test_the_pods_of_the_job_set_divide_the_data_set(job_set, shell, tmp_path):
    """Two pods as two processes; the only change is that names of hosts and folders are those of this computer."""
    [hosts] = job_set["spec"]["replicatedJobs"]
    [container] = hosts["template"]["spec"]["template"]["spec"]["containers"]
    line = re.sub(r"--master-addr \S+", "--master-addr 127.0.0.1", container["command"][-1])
    line = line.replace("/data/", f"{tmp_path}/").replace(f"--nproc-per-node {gpus(container)}", "--nproc-per-node 1")
    pods = hosts["template"]["spec"]["completions"]
    both = " & ".join(f"JOB_COMPLETION_INDEX={index} sh -c '{line}'" for index in range(pods))
    check_shards(shell(f"{both} & wait"), pods)


def gpus(container):
    return container["resources"]["limits"]["nvidia.com/gpu"]
