"""Scripts that were written for DALI run unchanged."""

import os
import re
import sys
import textwrap

import pytest


@pytest.fixture
def dali_script(script, tmp_path):
    """Runs a script with `python -m penstock.dali` and returns what it printed."""

    def run(text, *arguments, **environment):
        path = tmp_path / "their_script.py"
        path.write_text(textwrap.dedent(text))
        return script("-m", "penstock.dali", path, *arguments, **environment)

    return run


def test_the_tutorial_of_several_gpus(dali_script, pictures):
    """Seed "Multiple GPU Support", less the drawing."""
    out = dali_script(
        """
        import sys

        import nvidia.dali.fn as fn
        import nvidia.dali.types as types
        from nvidia.dali.pipeline import Pipeline

        image_dir = sys.argv[1]
        batch_size = 4

        def sharded_pipeline(device_id, shard_id, num_shards):
            pipe = Pipeline(batch_size=batch_size, num_threads=1, device_id=device_id)
            with pipe:
                jpegs, labels = fn.readers.file(
                    file_root=image_dir, random_shuffle=False, shard_id=shard_id, num_shards=num_shards)
                images = fn.decoders.image(jpegs, device="mixed", output_type=types.RGB)
                pipe.set_outputs(images, labels)
            return pipe

        for shard in range(2):
            pipe = sharded_pipeline(device_id=shard, shard_id=shard, num_shards=2)
            pipe.build()
            images, labels = pipe.run()
            shapes = {images.as_cpu().at(j).shape for j in range(batch_size)}
            print(shard, shapes, labels.as_array().ravel().tolist(), labels.dtype)
        """,
        pictures,
    )
    assert out.splitlines() == [
        "0 {(48, 64, 3)} [0, 0, 0, 0] DALIDataType.INT32",
        "1 {(48, 64, 3)} [1, 1, 1, 1] DALIDataType.INT32",
    ]


def test_the_older_style_of_classes(dali_script, pictures):
    out = dali_script(
        """
        import sys
        import nvidia.dali as dali
        from nvidia.dali import ops, types
        import nvidia.dali.plugin.base_iterator
        from nvidia.dali.backend import TensorListGPU

        class SimplePipeline(dali.Pipeline):
            def __init__(self, batch_size, num_threads, device_id):
                super().__init__(batch_size, num_threads, device_id, seed=12)
                self.input = ops.FileReader(file_root=sys.argv[1])
                self.decode = ops.ImageDecoder(device="mixed", output_type=types.RGB)

            def define_graph(self):
                jpegs, labels = self.input()
                return self.decode(jpegs), labels

        pipe = SimplePipeline(3, 1, 0)
        pipe.build()
        images, labels = pipe.run()
        print(isinstance(images, TensorListGPU), len(images), images.layout(), dali.__name__)
        """,
        pictures,
    )
    assert out.strip() == "False 3 HWC nvidia.dali"


def test_the_iterator_of_torch(dali_script, numbered, torch):
    del torch
    out = dali_script(
        """
        import sys
        from nvidia.dali import pipeline_def, fn
        from nvidia.dali.plugin.pytorch import DALIGenericIterator, LastBatchPolicy

        @pipeline_def(batch_size=2, num_threads=1, device_id=None)
        def pipe():
            data, label = fn.readers.file(file_root=sys.argv[1], name="Reader")
            return data, label

        it = DALIGenericIterator(pipe(), ["x", "y"], reader_name="Reader", last_batch_policy=LastBatchPolicy.PARTIAL)
        print(len(it), [b[0]["x"].flatten().tolist() for b in it])
        """,
        numbered(5),
    )
    assert out.strip() == "3 [[0, 1], [2, 3], [4]]"


def test_a_loop_goes_on_with_an_epoch_that_was_left(dali_script, numbered, torch, jax):
    del torch, jax
    text = """
        import itertools
        import sys
        from nvidia.dali import pipeline_def, fn
        from nvidia.dali.plugin.jax import DALIGenericIterator as OfJax
        from nvidia.dali.plugin.pytorch import DALIClassificationIterator, DALIGenericIterator, LastBatchPolicy

        @pipeline_def(batch_size=2, num_threads=1, device_id=None)
        def pipe():
            return tuple(fn.readers.file(file_root=sys.argv[1], name="Reader"))

        it = DALIClassificationIterator(pipe(), reader_name="Reader", last_batch_policy=LastBatchPolicy.PARTIAL)
        assert isinstance(it, DALIGenericIterator)
        for stop in (2, None, 1):
            print([b[0]["data"].flatten().tolist() for b in itertools.islice(it, stop)])
        it = OfJax(pipe(), ["data", "label"], reader_name="Reader")
        for stop in (2, None):
            print([b["data"].flatten().tolist() for b in itertools.islice(it, stop)])
        """
    of_torch = ["[[0, 1], [2, 3]]", "[[4, 5], [6]]", "[[1, 2]]"]
    assert dali_script(text, numbered(7)).splitlines() == [*of_torch, "[[0, 1], [2, 3]]", "[[4, 5], [6, 0]]"]


def test_the_iterator_of_jax(dali_script, numbered, jax):
    del jax
    out = dali_script(
        """
        import sys
        import jax
        import nvidia.dali.fn as fn
        from nvidia.dali.plugin.jax import data_iterator

        @data_iterator(output_map=["x", "noise"], reader_name="Reader", devices=jax.devices())
        def iterator(path, num_shards, shard_id):
            data, _ = fn.readers.file(file_root=path, name="Reader", num_shards=num_shards, shard_id=shard_id)
            return data, fn.random.uniform()

        made = [iterator(batch_size=4, path=sys.argv[1]) for _ in range(2)]
        first, second = (next(one) for one in made)
        print(first["x"].tolist(), (first["noise"] == second["noise"]).any())
        """,
        numbered(8),
        JAX_NUM_CPU_DEVICES="2",
        JAX_PLATFORMS="cpu",
    )
    assert out.strip() == "[[[0], [1]], [[4], [5]]] False"


def test_dali_chooses_the_seed_by_the_clock(dali_script, jax):
    """However the script comes by its pipelines; a checkpoint goes on with its own numbers."""
    del jax
    out = dali_script(
        """
        import warnings
        import nvidia.dali as dali
        by_attribute = dali.pipeline.Pipeline
        import nvidia.dali.fn as fn
        import penstock
        from nvidia.dali import pipeline_def
        from nvidia.dali.pipeline import Pipeline
        from nvidia.dali.plugin import jax

        warnings.simplefilter("error")
        assert Pipeline is dali.Pipeline is by_attribute
        assert pipeline_def is dali.pipeline_def is dali.pipeline.pipeline_def

        @pipeline_def(batch_size=4, num_threads=1, device_id=None)
        def defined():
            return fn.random.uniform()

        def within(**options):
            with Pipeline(batch_size=4, num_threads=1, device_id=None, **options) as pipe:
                pipe.set_outputs(fn.random.uniform())
            return pipe

        class Subclass(dali.Pipeline):
            def define_graph(self):
                return fn.random.uniform()

        def drawn(pipe):
            return tuple(pipe.run()[0].as_array().tolist())

        draws = [drawn(pipe) for make in (defined, within, lambda: Subclass(4, 1)) for pipe in (make(), make())]
        iterator = jax.data_iterator(lambda: fn.random.uniform(), output_map=["x"])
        draws += [tuple(next(iterator(batch_size=4))["x"].tolist()) for _ in range(2)]
        print(len(set(draws)))
        print(len({drawn(defined(seed=7)), drawn(within(seed=7)), drawn(Subclass(4, seed=7))}))

        pipe = defined(enable_checkpointing=True)
        drawn(pipe)
        saved = pipe.checkpoint()
        print(drawn(defined(enable_checkpointing=True, checkpoint=saved)) == drawn(pipe))
        print(penstock.Pipeline(4).seed == penstock.Pipeline(4).seed, Pipeline(4).seed == Pipeline(4).seed)

        warnings.simplefilter("ignore")
        print(Pipeline(4, seed=-1).seed == Pipeline(4, seed=-1).seed)
        """,
        JAX_PLATFORMS="cpu",
    )
    assert out.splitlines() == ["8", "1", "True", "True False", "False"]


def test_the_shuffle_is_the_same_on_ranks_that_give_different_seeds(dali_script, numbered):
    out = dali_script(
        """
        import sys
        from nvidia.dali import fn, pipeline_def

        @pipeline_def(batch_size=6, num_threads=1, device_id=None)
        def shard(rank):
            return fn.readers.file(file_root=sys.argv[1], random_shuffle=True, shard_id=rank, num_shards=2)[0]

        halves = [shard(rank=rank, seed=12 + rank).run()[0].as_array().ravel().tolist() for rank in range(2)]
        print(sorted(halves[0] + halves[1]) == list(range(12)), halves[0] != list(range(6)))
        """,
        numbered(12),
    )
    assert out.strip() == "True True"


def test_programs_find_what_lies_beside_them_and_modules_run_by_name(script, tmp_path):
    (tmp_path / "helper.py").write_text("import nvidia.dali.fn\nNAME = nvidia.dali.fn.__name__\n")
    (tmp_path / "program.py").write_text("import sys\nfrom helper import NAME\nprint(NAME, __name__, sys.argv[1:])\n")
    expected = "nvidia.dali.fn __main__ ['--epochs', '3']\n"
    assert script("-m", "penstock.dali", tmp_path / "program.py", "--epochs", "3") == expected
    path = os.pathsep.join([str(tmp_path), *sys.path])
    assert script("-m", "penstock.dali", "-m", "program", "--epochs", "3", PYTHONPATH=path) == expected


def test_a_script_that_is_not_there_and_help_come_with_the_usage(script):
    for option in ("-h", "--help"):
        assert script("-m", "penstock.dali", option).startswith("usage: python -m penstock.dali script.py")
    with pytest.raises(AssertionError, match="there is no script none.py") as error:
        script("-m", "penstock.dali", "none.py")
    assert "Traceback" not in str(error.value)


@pytest.mark.parametrize(
    "line,instead",
    [
        ("from jax.sharding import PositionalSharding", "write NamedSharding(Mesh("),
        ("import jax; jax.device_put_sharded([], [])", "write the iterator's devices="),
        ("import jax; jax.tree_map(len, [])", "write jax.tree.map"),
    ],
)
def test_what_jax_has_taken_away_is_told_with_what_to_write_instead(script, jax, tmp_path, line, instead):
    del jax
    path = tmp_path / "old.py"
    path.write_text(line)
    with pytest.raises(AssertionError, match=re.escape(instead)):  # the script fixture's, with all that was printed
        script("-m", "penstock.dali", path, JAX_PLATFORMS="cpu")


def test_dali_itself_must_not_be_loaded_before(script):
    pytest.importorskip("nvidia.dali")
    out = script(
        code="""
import nvidia.dali
import penstock.dali
try:
    penstock.dali.install()
except RuntimeError as e:
    print(e)
"""
    )
    assert "imported already" in out


def test_processes_that_are_spawned_import_the_same(dali_script):
    out = dali_script(
        """
        import multiprocessing
        import sys

        import nvidia.dali
        from nvidia.dali.plugin.base_iterator import LastBatchPolicy

        def work(i=0):
            import nvidia.dali.fn
            print(nvidia.dali.Pipeline.__module__, "penstock" in sys.modules, flush=True)

        if __name__ == "__main__":
            work()
            for method in ("spawn", "forkserver"):
                process = multiprocessing.get_context(method).Process(target=work)
                process.start()
                process.join()
                assert process.exitcode == 0
            try:
                import torch.multiprocessing
            except ModuleNotFoundError:
                work()
            else:
                torch.multiprocessing.spawn(work, nprocs=1)
        """
    )
    assert out.splitlines() == ["penstock.dali._choices True"] * 4


def test_peekable_iterators_are_of_pipelines_with_dalis_choices(dali_script, numbered, jax):
    del jax
    out = dali_script(
        """
        import sys

        from nvidia.dali import fn
        from nvidia.dali.plugin.jax import data_iterator
        from nvidia.dali.plugin.jax.clu import peekable_data_iterator

        for decorator in (data_iterator, peekable_data_iterator):
            @decorator(output_map=["x"], reader_name="r")
            def numbers():
                return fn.readers.file(file_root=sys.argv[1], name="r")[0]

            iterator = numbers(batch_size=1)
            for _ in iterator:
                break
            print(type(iterator._pipes[0]).__module__, sum(1 for _ in iterator))
        """,
        numbered(4),
    )
    assert out.splitlines() == ["penstock.dali._choices 3"] * 2


def test_facts_about_readers_have_dalis_keys_alone(script, tmp_path, shared):
    theirs = tmp_path / "theirs.py"
    theirs.write_text(
        f"""
from nvidia.dali import fn, pipeline_def
from nvidia.dali.plugin.pytorch import DALIGenericIterator

@pipeline_def(batch_size=2, num_threads=1, device_id=None)
def pipe():
    return fn.readers.file(file_root={str(shared / "photos")!r}, name="R")[1]

made = pipe()
print(sorted(made.reader_meta("R")), made.reader_meta()["R"] == made.reader_meta("R"))
print(len(list(DALIGenericIterator(pipe(), ["label"], reader_name="R"))))
"""
    )
    keys = ["epoch_size", "epoch_size_padded", "number_of_shards", "pad_last_batch", "shard_id", "stick_to_shard"]
    assert script("-m", "penstock.dali", theirs).splitlines() == [f"{keys} True", "24"]


def test_modules_that_dali_has_in_other_places(dali_script):
    out = dali_script(
        """
        import sys
        import nvidia.dali.plugin.pytorch
        from nvidia.dali.plugin.jax import iterator, clu, data_iterator
        from nvidia.dali import fn, ops
        import nvidia.dali.fn.hidden, nvidia.dali.ops.readers.hidden

        print("nvidia.dali.plugin.pytorch.fn" in sys.modules, "nvidia.dali.fn" in sys.modules)
        print(iterator.DALIGenericIterator.__mro__[0] in clu.DALIGenericPeekableIterator.__mro__)
        print(iterator.data_iterator.__name__, iterator.pipeline_def is nvidia.dali.pipeline_def)
        print(nvidia.dali.fn.hidden.coin_flip._schema_name, ops.readers.hidden.Sequence.__name__)
        print(fn.external_source._schema_name, nvidia.dali.plugin.pytorch.fn.torch_python_function._schema_name)
        """
    )
    assert out.splitlines() == [
        "True True",
        "True",
        "data_iterator True",
        "coin_flip Sequence",
        "external_source torch_python_function",
    ]
