"""`plugin.pytorch.experimental.proxy`: a pipeline behind PyTorch's workers."""

import collections

import numpy as np
import pytest

from penstock import fn, pipeline_def

torch = pytest.importorskip("torch")
proxy = pytest.importorskip("penstock.plugin.pytorch.experimental.proxy")


@pipeline_def(num_threads=2, device_id=None, prefetch_queue_depth=3)
def doubled():
    numbers = fn.external_source(name="numbers")
    return numbers * 2, numbers + 100


@pipeline_def(num_threads=2, device_id=None)
def added():
    return fn.external_source(name="a") + fn.external_source(name="b")


@pipeline_def(num_threads=2, device_id=None)
def drawn():
    number = fn.external_source(name="number")
    return number * 0 + fn.random.uniform(range=[0.0, 1.0], seed=7)


class Numbers(torch.utils.data.Dataset):
    """The numbers below `count`, and what a transform makes of them."""

    def __init__(self, count, transform):
        self.count, self.transform = count, transform

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return i, self.transform(np.array([i], np.int32))


def of(batches):
    """Index, doubled and increased numbers of all batches."""
    return [
        tuple(one.ravel().tolist() for one in (index, *(made if isinstance(made, (list, tuple)) else [made])))
        for index, made in batches
    ]


@pytest.mark.parametrize("options", [
    {"num_workers": 0}, {"num_workers": 3}, {"num_workers": 2, "persistent_workers": True},
    {"num_workers": 2, "multiprocessing_context": "spawn"},
])  # fmt: skip
@pytest.mark.parametrize("deterministic", [False, True])
def test_data_come_in_the_loaders_order_epoch_after_epoch(options, deterministic):
    with proxy.DALIServer(doubled(batch_size=4), deterministic) as server:
        loader = proxy.DataLoader(server, Numbers(18, server.proxy), batch_size=4, **options)
        assert len(loader) == 5
        for _ in range(2):
            expected = [list(range(i, min(i + 4, 18))) for i in range(0, 18, 4)]
            found = of(loader)
            assert [one[0] for one in found] == expected
            assert [one[1] for one in found] == [[2 * i for i in part] for part in expected]
            assert [one[2] for one in found] == [[i + 100 for i in part] for part in expected]


def test_the_loaders_own_order_and_its_sampler_decide():
    with proxy.DALIServer(doubled(batch_size=3)) as server:
        sampler = [[5, 2, 9], [0, 0, 7], [1]]
        loader = proxy.DataLoader(server, Numbers(10, server.proxy), batch_sampler=sampler, num_workers=2)
        assert [(one[0], one[1]) for one in of(loader)] == [(part, [2 * i for i in part]) for part in sampler]


def test_a_loader_starts_the_server_and_a_plain_one_takes_its_data_by_hand():
    server = proxy.DALIServer(doubled(batch_size=4))
    assert len(of(proxy.DataLoader(server, Numbers(8, server.proxy), batch_size=4, num_workers=1))) == 2
    server.stop_thread()
    with server:
        plain = torch.utils.data.DataLoader(Numbers(8, server.proxy), batch_size=4, num_workers=1)
        assert of(server.produce_data(batch) for batch in plain)[1][1] == [8, 10, 12, 14]
    waiting = next(iter(torch.utils.data.DataLoader(Numbers(8, server.proxy), batch_size=4)))
    with pytest.raises(RuntimeError, match="not running"):
        server.produce_data(waiting)
    with server:
        assert of([server.produce_data(waiting)])[0][1] == [0, 2, 4, 6]


def test_random_numbers_repeat_in_deterministic_mode():
    def run():
        with proxy.DALIServer(drawn(batch_size=2), deterministic=True) as server:
            loader = proxy.DataLoader(server, Numbers(12, server.proxy), batch_size=2, num_workers=3)
            return of(loader)

    first = run()
    assert first == run()
    assert len({tuple(one[1]) for one in first}) == 6


def test_an_error_comes_in_the_place_of_its_batch_and_the_next_ones_are_made():
    class Ragged(Numbers):
        def __getitem__(self, i):
            return i, self.transform(np.zeros(2 if i == 5 else 1, np.int32))

    with proxy.DALIServer(doubled(batch_size=2)) as server:
        batches = iter(proxy.DataLoader(server, Ragged(10, server.proxy), batch_size=2, num_workers=2))
        assert [next(batches)[0].tolist() for _ in range(2)] == [[0, 1], [2, 3]]
        with pytest.raises(RuntimeError, match="no single tensor"):
            next(batches)
        assert [one[0].tolist() for one in batches] == [[6, 7], [8, 9]]


def test_a_batch_that_cannot_be_fed_is_an_error_of_its_own():
    with proxy.DALIServer(doubled(batch_size=2)) as server:
        batches = iter(proxy.DataLoader(server, Numbers(5, server.proxy), batch_sampler=[[0, 1, 2], [3, 4]]))
        with pytest.raises(RuntimeError, match="a batch of 3 samples, the pipeline takes at most 2"):
            next(batches)
        assert next(batches)[1][0].tolist() == [[6], [8]]


def test_several_inputs_are_given_by_name():
    with proxy.DALIServer(added(batch_size=2)) as server:
        one = np.ones(3, np.float32)
        refs = [server.proxy(a=one, b=one * i) for i in range(2)]
        assert "DALIOutputSampleRef" in repr(refs[0])
        batch = torch.utils.data.default_collate(refs)
        assert server.produce_data(batch).tolist() == [[1, 1, 1], [2, 2, 2]]
        other_way = torch.utils.data.default_collate(refs[::-1])
        assert server.produce_data(other_way).tolist() == [[2, 2, 2], [1, 1, 1]]
        for wrong in (lambda: server.proxy(one, one), lambda: server.proxy(a=one), lambda: server.proxy(a=one, c=one)):
            with pytest.raises(ValueError, match=r"Expected signature is: inputs by name: a, b"):
                wrong()
        with pytest.raises(RuntimeError, match="one output of one proxy"):
            torch.utils.data.default_collate([refs[0], proxy.DALIServer(added(batch_size=2)).proxy(a=one, b=one)])


def test_data_replace_what_stands_for_them_wherever_it_is():
    class Holder:
        pass

    pair = collections.namedtuple("pair", "left right")
    with proxy.DALIServer(doubled(batch_size=2)) as server:
        refs = [server.proxy(np.array([i], np.int32)) for i in range(2)]
        twice, more = torch.utils.data.default_collate(refs)
        holder, plain = Holder(), {"kept": [1, "text", None, torch.ones(2)]}
        holder.data, holder.itself = twice, holder
        circle = [{"a": (twice, 3)}, pair(more, twice), holder, plain]
        circle.append(circle)
        made = server.produce_data(circle)
    assert made is circle
    assert made[4] is made
    assert made[0]["a"][0].tolist() == [[0], [2]]
    assert (type(made[1]), made[1].left.tolist(), made[1].right.tolist()) == (pair, [[100], [101]], [[0], [2]])
    assert made[2].data.tolist() == [[0], [2]]
    assert made[3] is plain


def test_a_pipeline_without_anything_to_feed_is_refused():
    @pipeline_def(batch_size=1, num_threads=1, device_id=None)
    def alone():
        return fn.random.uniform()

    with pytest.raises(ValueError, match="external source without `source`"):
        proxy.DALIServer(alone())


def test_dalis_program_for_resnet_in_small(pictures):
    """Paths from the workers, files and pictures from the pipeline."""
    folder = pytest.importorskip("torchvision.datasets").ImageFolder

    @pipeline_def(num_threads=2, device_id=None)
    def decoded():
        return fn.resize(fn.decoders.image(fn.io.file.read(fn.external_source(name="paths"))), size=[8, 8])

    with proxy.DALIServer(decoded(batch_size=5)) as server:
        dataset = folder(pictures, transform=server.proxy, loader=lambda path: np.frombuffer(path.encode(), np.int8))
        loader = proxy.DataLoader(server, dataset, batch_size=5, num_workers=2)
        batches = list(loader)
    assert [tuple(images.shape) for images, _ in batches] == [(5, 8, 8, 3), (5, 8, 8, 3), (2, 8, 8, 3)]
    assert torch.cat([labels for _, labels in batches]).tolist() == [0] * 6 + [1] * 6
    assert len({tuple(image.ravel().tolist()) for images, _ in batches for image in images}) == 12


def test_the_helpers_of_torch_utils_and_the_evaluator(tmp_path, capsys):
    from penstock.plugin.pytorch.loader_evaluator import LoaderEvaluator
    from penstock.plugin.pytorch.torch_utils import to_torch_tensor
    from penstock.tensors import TensorCPU

    memory = np.arange(3, dtype=np.float32)
    tensor = TensorCPU(memory)
    copy, shared = to_torch_tensor(tensor, True), to_torch_tensor(tensor, False)
    shared[0] = 7
    assert (copy.tolist(), to_torch_tensor(tensor, True).tolist()) == ([0, 1, 2], [7, 1, 2])

    loader = torch.utils.data.DataLoader(list(range(10)), batch_size=2)
    logged = LoaderEvaluator(loader, metrics_file=str(tmp_path / "metrics.json"))
    assert logged.get_metrics() == {}
    assert [one.tolist() for one in logged] == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    metrics = logged.get_metrics()
    assert (metrics["total_batches"], metrics["cached_batches"], len(logged)) == (5, 0, 5)
    assert metrics["min_batch_time"] <= metrics["avg_batch_time"] <= metrics["max_batch_time"] <= metrics["total_time"]
    logged.save_metrics()
    assert '"mode": "log"' in (tmp_path / "metrics.json").read_text()
    logged.print_summary()
    said = capsys.readouterr().out
    assert "avg_batch_time" in said
    for line in ("Mode: log", "Dataset size: 10", "Number of batches: 5", "Total batches processed: 5"):
        assert f"  {line}\n" in said
    replayed = LoaderEvaluator(loader, mode="replay", num_cached_batches=2)
    assert [one.tolist() for one in replayed] == [[6, 7], [8, 9], [6, 7], [8, 9], [6, 7]]
    with pytest.raises(ValueError, match="replay"):
        LoaderEvaluator(loader, mode="fast")
    with pytest.raises(ValueError, match="filename"):
        replayed.save_metrics()
