"""200 steps of training with `DataParallel` and with PyTorch's DistributedDataParallel: the same curve."""

import pytest

torch = pytest.importorskip("torch")
import curves  # noqa: E402
from spread import TWO  # noqa: E402

from penstock.parallel import DataParallel  # noqa: E402

# Both compute each part of a batch with the same operations on the same weights; they differ in how gradients of the
# parts become one (a sum of halves, a half of a sum), which are roundings of float32. 1e-7 was measured, and 7e-7
# between runs whose first weights differ in the last bits: that is the noise.
NOISE = 1e-5


def test_the_usual_loop_and_steps_in_one_call_follow_ddp(tmp_path):
    distributed = curves.distributed_curve(2, tmp_path)
    usual, in_one_call, otherwise = (curves.network() for _ in range(3))
    losses = curves.curve(DataParallel(usual, TWO), usual)
    step = DataParallel(in_one_call, TWO).train_step(curves.loss_of, curves.optimizer_of(in_one_call))
    steps = torch.stack([step(x, y) for x, y in curves.batches()])
    uneven = curves.curve(DataParallel(otherwise, TWO, split=[9, 7]), otherwise, steps=20)
    theirs = distributed()
    assert theirs[:8].mean() > 1
    assert theirs[-8:].mean() < 0.02
    assert (losses - theirs).abs().max() < NOISE
    assert (steps - theirs).abs().max() < NOISE
    assert (
        uneven - theirs[:20]
    ).abs().max() > 100 * NOISE  # the batch norm sees other rows: so much it takes to differ
