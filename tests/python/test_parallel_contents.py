"""`DataParallel` with graphs: what attributes of modules hold, at any depth, and what cannot be compared.

Virtual devices pretend to have graphs (see pretend.py).
"""

import collections
import dataclasses
import functools
import itertools
import logging
import random
import threading
import types

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pretend import called, pretend  # noqa: E402
from spread import Calls  # noqa: E402
from torch import nn  # noqa: E402

from penstock.parallel._contents import Contents, Unfit  # noqa: E402
from penstock.parallel._watch import Watch  # noqa: E402


@dataclasses.dataclass
class Settings:
    scale: float = 1.0


class Config:
    factor = 1.0

    def __init__(self):
        self.inner = types.SimpleNamespace(scales=[1.0])


class Other(Config):
    factor = 5.0


class Named(dict):
    """As many a library has one."""


CHANGES = [
    (types.SimpleNamespace(scale=1.0), lambda held: held.scale, lambda held: setattr(held, "scale", 5.0)),
    (Settings(), lambda held: held.scale, lambda held: setattr(held, "scale", 5.0)),
    (Config(), lambda held: held.inner.scales[0], lambda held: held.inner.scales.__setitem__(0, 5.0)),
    ({"a": ([1.0],)}, lambda held: held["a"][0][0], lambda held: held["a"][0].__setitem__(0, 5.0)),
    ([Settings()], lambda held: held[0].scale, lambda held: setattr(held[0], "scale", 5.0)),
    (np.ones(2), lambda held: float(held[0]), lambda held: held.__setitem__(0, 5.0)),
    ([np.ones(2)], lambda held: float(held[0][0]), lambda held: held[0].__setitem__(0, 5.0)),
    (collections.deque([1.0]), lambda held: held[-1], lambda held: held.append(5.0)),
    (collections.defaultdict(float, a=1.0), lambda held: held["a"], lambda held: held.update(a=5.0)),
    (collections.UserDict(a=1.0), lambda held: held["a"], lambda held: held.update(a=5.0)),
    (Named(a=1.0), lambda held: held["a"], lambda held: held.update(a=5.0)),
    (
        Config(),
        lambda held: getattr(held, "k", 1.0),
        lambda held: setattr(held, "__class__", type("C", (), {"k": 5.0})),
    ),
]


class TestChangesInAttributes:
    @pytest.mark.parametrize(("held", "read", "change"), CHANGES)
    def test_are_noticed(self, held, read, change, monkeypatch):
        pretend(monkeypatch)
        module = Calls(lambda self, x: x * read(self.held))
        module.held = held
        parallel, out = called(None, torch.ones(4), module=module)
        assert parallel.graph_status == "graphs"
        assert out.tolist() == [1] * 4
        change(held)
        assert parallel(torch.ones(4)).tolist() == [5] * 4

    def test_by_forward_itself_are_not_captured(self, monkeypatch):
        pretend(monkeypatch)
        module = Calls(lambda self, x: (self.held.inner.scales.append(1), x)[1])
        module.held = Config()
        with pytest.warns(UserWarning, match="changes attributes"):
            called(None, torch.ones(4), module=module)


class TestContents:
    @pytest.mark.parametrize(
        "held",
        [
            random.Random(0),
            np.random.default_rng(0),
            itertools.count(),
            bytearray(b"a"),
            [iter([1])],
            np.array([[]], object),
            list(range(20_000)),
            {"data": [np.zeros(1 << 20)]},
        ],
    )
    def test_what_may_change_unseen_is_refused(self, held):
        module = nn.Linear(1, 1)
        module.held = held
        with pytest.raises(Unfit, match="Linear.held .*(change unseen|more than can be compared)"):
            Contents([module])

    @pytest.mark.parametrize(
        "make",
        [
            lambda: nn.Transformer(8, 2, 1, 1, 8),
            lambda: nn.LSTM(3, 3, 2),
            lambda: nn.Sequential(
                nn.Conv2d(3, 3, 3), nn.BatchNorm2d(3), nn.Dropout(), nn.MaxPool2d(2), nn.Embedding(3, 3)
            ),
            lambda: torch.nn.utils.parametrizations.weight_norm(nn.Linear(3, 3)),
        ],
    )
    def test_networks_fit(self, make):
        module = make()
        module.activation, module.norm = torch.relu, functools.partial(nn.LayerNorm, eps=1e-6)
        module.logger, module.lock = logging.getLogger("a"), threading.Lock()
        module.optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        module.itself, module.sizes = [module], torch.Size([2])
        module.dtype, module.generator = np.dtype("f4"), torch.Generator()
        contents = Contents(list(module.modules()))
        with module.lock:
            module.optimizer.param_groups[0]["lr"] = 0.2
            assert contents.hold()
        next(module.modules()).__class__ = type("Other", (type(module),), {})
        assert not contents.hold()


class TestTensorsOfTheHost:
    """Kernels get them as numbers, which a graph would keep. "meta" stands for a GPU."""

    @pytest.mark.parametrize(
        ("function", "reason"),
        [
            (lambda x, number: x * number, "reads a tensor on cpu"),
            (lambda x, number: (number + 1, x)[1], "computes on cpu"),
        ],
    )
    def test_are_refused(self, function, reason):
        x, number = torch.ones(3, device="meta"), torch.tensor(2.0)
        with pytest.raises(Unfit, match=reason), Watch(nn.Identity(), x.device):
            function(x, number)

    def test_usual_networks_have_none(self):
        module = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True, device="meta")
        x = torch.ones(2, 5, 8, device="meta")
        with Watch(module, x.device) as watch:
            out = torch.where(x > 0, module(x) * 2.0, -1.0).masked_fill(x < 0, 0.5)
            torch.autograd.grad(nn.functional.mse_loss(out, x), list(module.parameters()))
        watch.check()
