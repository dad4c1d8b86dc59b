"""`DataParallel` on virtual devices of the CPU: where rows and results go, as torch.nn.DataParallel has it."""

import collections
import dataclasses
import functools
import types

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from spread import TWO, net, parts, spread  # noqa: E402

from penstock.parallel import DataParallel, Sharded  # noqa: E402


class TestTheSeedsStory:
    def test_three_rows_are_split_two_and_one_and_gathered(self):
        module, x = net(), torch.randn(3, 32)
        parallel = DataParallel(module, TWO)
        out = parallel(x)
        assert sorted(module.seen) == [("penstock cpu:1", (2, 32)), ("penstock cpu:3", (1, 32))]
        assert (out.shape, parallel.device_ids, parallel.output_device) == ((3, 64), TWO, "cpu:1")
        assert torch.equal(out, parts([2, 1], module, x))

    def test_a_module_that_lies_elsewhere_is_named(self):
        parallel = DataParallel(net().to("meta"), TWO)
        message = r"module must have its parameters and buffers on device cpu:1 \(device_ids\[0\]\) but found one of "
        with pytest.raises(RuntimeError, match=message + "them on device: meta"):
            parallel(torch.randn(3, 32))


class TestDevices:
    @pytest.mark.skipif(torch.cuda.is_available(), reason="is about hosts without a GPU")
    @pytest.mark.parametrize("ids", [None, [1, 3], ["cuda:0"]])
    def test_without_an_accelerator_the_module_runs_as_it_is(self, ids):
        parallel = DataParallel(net(), ids)
        x = torch.randn(3, 32)
        assert parallel.device_ids == []
        assert torch.equal(parallel(x), parallel.module(x))
        assert parallel.module.seen[0][1] == (3, 32)

    def test_no_devices_are_refused(self):
        with pytest.raises(RuntimeError, match="no available devices were found"):
            DataParallel(net(), [])
        with pytest.raises(ValueError, match="must differ"):
            DataParallel(net(), ["cpu:0", "cpu:0"])

    def test_one_device_runs_the_module_itself(self):
        calls = spread(lambda self, x: (self, x), ["cpu:0"], output_device="meta")
        module, x = calls(torch.ones(2))
        assert module is calls.module
        assert x.device.type == "cpu"

    def test_an_imbalance_of_gpus_is_said(self, monkeypatch):
        from penstock.parallel import _devices

        facts = collections.namedtuple("Facts", "total_memory multi_processor_count")
        monkeypatch.setattr(torch.cuda, "get_device_properties", lambda i: facts([100, 70][i], 1))
        with pytest.warns(UserWarning, match="imbalance between your GPUs. You may want to exclude GPU 1 which"):
            _devices._warn_of_imbalance([0, 1])

    @pytest.mark.parametrize(
        "options", [{"split": [1]}, {"split": [1, -1]}, {"split": "odd"}, {"outputs": "all"}, {"buffers": "last"}]
    )
    def test_wrong_choices_are_named(self, options):
        with pytest.raises(ValueError, match=next(iter(options))):
            DataParallel(net(), TWO, **options)


class TestScatter:
    @pytest.mark.parametrize(
        "rows,devices,split,sizes",
        [
            (3, 2, "chunk", [2, 1]), (5, 4, "chunk", [2, 2, 1]), (1, 3, "chunk", [1]), (9, 8, "chunk", [2, 2, 2, 2, 1]),
            (0, 2, "chunk", [0, 0]), (9, 8, "even", [2, 1, 1, 1, 1, 1, 1, 1]), (2, 3, "even", [1, 1]),
            (9, 2, [2, 1], [6, 3]), (0, 2, "even", [0, 0]),
            (9, 2, [1000, 1], [8, 1]), (1, 2, (1, 5), [1]), (4, 3, [1, 0, 1], [2, 0, 2]),
        ],
    )  # fmt: skip
    def test_rows_are_shared(self, rows, devices, split, sizes):
        from penstock.parallel._scatter import sizes_of

        assert sizes_of(rows, devices, split) == sizes
        if split == "chunk":
            assert sizes == [len(part) for part in torch.chunk(torch.zeros(rows, 1), devices)]
        parallel = spread(lambda self, x: x, [f"cpu:{i}" for i in range(devices)], split=split, outputs="sharded")
        assert [len(x) for x in parallel(torch.zeros(rows, 2))] == sizes

    def test_tensors_are_cut_in_any_structure_and_the_rest_goes_by_reference(self):
        point, thing = collections.namedtuple("Point", "x y"), object()
        given = {"a": [torch.arange(3), "text"], "b": point(torch.arange(3), None), "c": (thing, 5)}
        one, two = spread(lambda self, value, flag: (value, flag), outputs="sharded")(given, flag=thing)
        assert [part[0]["a"][0].tolist() for part in (one, two)] == [[0, 1], [2]]
        assert [part[0]["b"].x.tolist() for part in (one, two)] == [[0, 1], [2]]
        assert isinstance(two[0]["b"], point)
        assert all(part[0]["c"] == (thing, 5) and part[1] is thing and part[0]["a"][1] == "text" for part in (one, two))

    def test_shards_of_one_wrapper_go_into_another_as_they_are(self):
        first = spread(lambda self, x: x + 1, outputs="sharded", split=[1, 3])
        shards = first(torch.arange(8))
        assert [shard.tolist() for shard in shards] == [[1, 2], [3, 4, 5, 6, 7, 8]]
        second = spread(lambda self, x, y: (x * 10, y, x.data_ptr()), outputs="sharded")
        (one, y, where), (two, z, _) = second(shards, torch.arange(2))
        assert (y.tolist(), z.tolist()) == ([0], [1])
        assert (one.tolist(), two.tolist(), where) == ([10, 20], [30, 40, 50, 60, 70, 80], shards[0].data_ptr())
        with pytest.raises(ValueError, match="3 shards for 2 devices"):
            second(Sharded([torch.zeros(1)] * 3), 1)

    def test_another_dimension(self):
        parallel = spread(lambda self, x: x * 2, dim=1)
        x = torch.randn(2, 5)
        assert torch.equal(parallel(x), x * 2)

    def test_mappings_of_all_kinds_are_cut(self):
        for kind in (types.MappingProxyType, collections.ChainMap, collections.UserDict, collections.Counter):
            one, two = spread(lambda self, value: value, outputs="sharded")(kind({"a": torch.arange(3)}))
            assert type(one) is type(two) is kind
            assert (one["a"].tolist(), two["a"].tolist()) == ([0, 1], [2])

    def test_fields_that_init_does_not_take_come_along(self):
        @dataclasses.dataclass(frozen=True)
        class Batch:
            x: object
            late: object = dataclasses.field(init=False, default=None)

        @dataclasses.dataclass
        class Counted:
            x: object
            rows: int = dataclasses.field(init=False)

            def __post_init__(self):
                self.rows = len(self.x)

        batch = Batch(torch.arange(3))
        object.__setattr__(batch, "late", [torch.arange(3), "text"])
        made = spread(lambda self, value: value)(batch)
        assert (made.x.tolist(), made.late[0].tolist(), made.late[1]) == ([0, 1, 2], [0, 1, 2], "text")
        assert spread(lambda self, one: one.rows, outputs="sharded")(Counted(torch.arange(3))) == [2, 1]
        assert spread(lambda self, one: one)(Counted(torch.arange(3))).rows == 3

    def test_keywords_alone_and_nothing_at_all(self):
        assert spread(lambda self, *, x: x)(x=torch.arange(4)).tolist() == [0, 1, 2, 3]
        calls = []
        spread(lambda self: calls.append(1))()
        assert calls == [1]
        spread(lambda self, flag: calls.append(flag))("each")
        assert calls == [1, "each", "each"]

    def test_inputs_that_would_lose_rows_are_refused(self):
        refused = functools.partial(pytest.raises, ValueError, match=r".* has \d rows .*: give them the same length")
        for rows in (1, 3, 6):  # 6 make as many parts as 7
            both = torch.arange(7), torch.arange(rows)
            with refused() as error:
                spread(lambda self, x, y: x)(*both)
            assert f"argument 0 has 7 rows (the length along dimension 0), argument 1 has {rows};" in str(error.value)
            for split in ("even", [1, 2]):
                with refused():
                    spread(lambda self, x, y: x, split=split)(*both)
            assert len(spread(lambda self, x, y: x, TWO[:1])(*both)) == 7  # nothing is cut
        with refused() as error:
            spread(lambda self, x, **_: x, dim=-1)(torch.zeros(2, 3), other={"a": [5, torch.zeros(3, 2)]})
        assert "argument 0 has 3 rows (the length along dimension -1), other['a'][1] has 2;" in str(error.value)
        with pytest.raises(ValueError, match="argument 0 has 2 parts, argument 1 has 1; shards and tensors must"):
            spread(lambda self, x, y: x)(Sharded(torch.zeros(2, 3)), torch.zeros(1))
        with pytest.raises(ValueError, match="cannot be scattered"):
            spread(lambda self, x: x)(torch.tensor(1.0))


class TestGather:
    def test_structures_come_back_with_their_types(self):
        @dataclasses.dataclass
        class Result:
            logits: object
            name: str

        point = collections.namedtuple("Point", "x y")

        def function(self, x):
            ordered = collections.OrderedDict(b=x, a=None)
            return Result([x, (x + 1, "same")], "n"), point(x, 7), ordered, collections.defaultdict(list, k=x)

        result, both, ordered, default = spread(function)(torch.arange(3.0))
        assert result.logits[0].tolist() == [0, 1, 2]
        assert (result.logits[1][1], result.name, both.y, type(both)) == ("same", "n", 7, point)
        assert (list(ordered), ordered["a"], default["k"].tolist()) == (["b", "a"], None, [0, 1, 2])
        assert default.default_factory is list

    def test_scalars_become_a_vector_with_torchs_warning(self):
        with pytest.warns(UserWarning, match="all input tensors were scalars; will instead unsqueeze and return a vec"):
            out = spread(lambda self, x: x.sum())(torch.tensor([1.0, 2.0, 4.0]))
        assert out.tolist() == [3, 4]

    def test_what_differs_is_refused(self):
        with pytest.raises(ValueError, match=r"the output\[0\] differs from replica to replica.*\[2, 1\]"):
            spread(lambda self, x: (len(x), x))(torch.zeros(3))
        with pytest.raises(ValueError, match="All dicts must have the same number of keys"):
            spread(lambda self, x: dict.fromkeys(range(len(x)), x))(torch.zeros(3))
        with pytest.raises(ValueError, match="differs in type"):
            spread(lambda self, x: x if len(x) == 2 else None)(torch.zeros(3))

    def test_what_is_equal_is_one(self):
        _, number, array = spread(lambda self, x: (x, float("nan"), np.array([1, np.nan])))(torch.zeros(3))
        assert number != number
        assert array[0] == 1
        for made in (lambda rows: np.arange(rows), lambda rows: np.full(2, rows)):
            with pytest.raises(ValueError, match=r"the output\[1\] differs from replica to replica"):
                spread(lambda self, x, made=made: (x, made(len(x))))(torch.zeros(3))
        with pytest.raises(ValueError, match=r"the output has other keys .*\[\[2\], \[1\]\]"):
            spread(lambda self, x: {len(x): x})(torch.zeros(3))

    def test_one_device_brings_results_to_the_host(self):
        parallel = spread(lambda self, x: [x], ["meta"], outputs="cpu")
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor"):  # there is nothing to bring
            parallel(torch.zeros(2))

    def test_outputs_can_stay_apart(self):
        x = torch.randn(5, 32)
        module = net()
        shards = DataParallel(module, TWO, outputs="sharded")(x)
        assert [len(shard) for shard in shards] == [3, 2]
        assert torch.equal(torch.cat(shards), DataParallel(module, TWO, outputs="cpu")(x))
