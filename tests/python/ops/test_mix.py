"""mixup and cutmix: batches mixed with their neighbours."""

import numpy as np
import pytest
from scipy import stats

from penstock import Pipeline, errors, fn

PICTURES = np.random.default_rng(1).integers(0, 255, (24, 18, 26, 3), np.uint8)
LABELS = np.arange(24, dtype=np.int32) % 5


def run(make, batch_size, count=24, pictures=PICTURES, labels=LABELS, layout="HWC", seed=7, device_id=None):
    """Both outputs of `count` samples."""
    pipe = Pipeline(batch_size=batch_size, num_threads=2, device_id=device_id, seed=seed)
    with pipe:
        images = fn.external_source(source=lambda i: pictures[i.idx_in_epoch], batch=False, layout=layout)
        classes = fn.external_source(source=lambda i: labels[i.idx_in_epoch], batch=False)
        pipe.set_outputs(*make(images, classes))
    batches = [pipe.run() for _ in range(count // batch_size)]
    return [np.stack([np.array(x) for batch in batches for x in batch[k]]) for k in (0, 1)]


def before(batch_size, count=24):
    """Who each sample is mixed with."""
    return np.array([i - 1 if i % batch_size else i + batch_size - 1 for i in range(count)])


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.float16, np.float32])
@pytest.mark.parametrize("batch_size", [4, 24])
def test_mixup_mixes_with_the_sample_before(dtype, batch_size):
    pictures = PICTURES.astype(dtype)
    images, labels = run(lambda x, y: fn.mixup(x, y, num_classes=5), batch_size, pictures=pictures)
    assert images.dtype == dtype and labels.dtype == np.float32 and labels.shape == (24, 5)
    partner = before(batch_size)
    np.testing.assert_allclose(labels.sum(1), 1, atol=1e-6)
    for i in range(24):
        share = labels[i, LABELS[i]]
        if LABELS[i] == LABELS[partner[i]]:
            continue
        assert labels[i, LABELS[partner[i]]] == pytest.approx(1 - share)
        wanted = pictures[i] * np.float64(share) + pictures[partner[i]] * (1 - np.float64(share))
        tolerance = 0.51 if np.issubdtype(dtype, np.integer) else 0.13 if dtype == np.float16 else 1e-4
        np.testing.assert_allclose(images[i].astype(np.float64), wanted, atol=tolerance, rtol=0)


def test_shares_depend_on_the_sample_alone():
    make = lambda x, y: fn.mixup(x, y, num_classes=5)  # noqa: E731
    a, b = run(make, 4), run(make, 12)
    alike = before(4) == before(12)
    assert alike.sum() == 18
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one[alike], other[alike])
    assert (run(make, 4, seed=8)[1] != a[1]).any()


def test_shares_have_their_distribution():
    labels = np.arange(4000) % 2
    pictures = np.zeros((4000, 1, 1, 1), np.uint8)
    for alpha in (0.2, 1.0, 3.0):
        shares = run(lambda x, y, a=alpha: fn.mixup(x, y, alpha=a, num_classes=2), 100, 4000, pictures, labels)[1]
        own = shares[np.arange(4000), labels]
        assert stats.kstest(own, stats.beta(alpha, alpha).cdf).pvalue > 1e-4


def test_without_alpha_everything_stays():
    for make in (fn.mixup, fn.cutmix):
        images, labels = run(lambda x, y, make=make: make(x, y, alpha=0, num_classes=5), 4)
        np.testing.assert_array_equal(images, PICTURES)
        np.testing.assert_array_equal(labels, np.eye(5)[LABELS])


def test_soft_labels_are_mixed():
    soft = np.random.default_rng(3).dirichlet([1, 1, 1], 24).astype(np.float32)
    shares = run(lambda x, y: fn.mixup(x, y, num_classes=5), 4)[1]
    mixed = run(fn.mixup, 4, labels=soft)[1]
    partner = before(4)
    for i in range(24):
        if LABELS[i] != LABELS[partner[i]]:
            share = shares[i, LABELS[i]]
            np.testing.assert_allclose(mixed[i], soft[i] * share + soft[partner[i]] * (1 - share), atol=1e-6)


@pytest.mark.parametrize("layout", ["HWC", "CHW", "FHWC"])
def test_cutmix_puts_a_box_of_the_sample_before(layout):
    pictures = {"HWC": PICTURES, "CHW": np.moveaxis(PICTURES, -1, 1).copy(), "FHWC": np.stack([PICTURES] * 2, 1)}[
        layout
    ]
    images, labels = run(lambda x, y: fn.cutmix(x, y, num_classes=5), 6, pictures=pictures, layout=layout)
    partner, boxes = before(6), set()
    for i in range(24):
        moved = np.moveaxis(images[i], layout.index("C"), -1).reshape(-1, 18, 26, 3)[0]
        other = (moved == PICTURES[partner[i]]).all(-1)
        own = (moved == PICTURES[i]).all(-1)
        assert (own | other).all()
        rows, columns = np.flatnonzero((~own).any(1)), np.flatnonzero((~own).any(0))
        if len(rows) == 0:
            continue
        box = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
        assert other[box].all()
        boxes.add((box[0].start, box[1].start))
        if LABELS[i] != LABELS[partner[i]]:
            area = (box[0].stop - box[0].start) * (box[1].stop - box[1].start)
            assert labels[i, LABELS[partner[i]]] == pytest.approx(area / (18 * 26), abs=1e-6)
    assert len(boxes) > 12


def test_boxes_depend_on_the_sample_alone():
    make = lambda x, y: fn.cutmix(x, y, num_classes=5)  # noqa: E731
    a, b = run(make, 4), run(make, 12)
    alike = before(4) == before(12)
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one[alike], other[alike])


def test_cutmix_covers_pictures_evenly():
    """The centre is uniform and the area before the cut is that of a uniform share."""
    n = 3000
    pictures = np.zeros((n, 20, 20, 1), np.uint8)
    pictures[::2] = 1
    images, labels = run(lambda x, y: fn.cutmix(x, y, num_classes=2), 100, n, pictures, np.arange(n) % 2)
    changed = (images != pictures)[..., 0].mean(0)
    assert changed[5:15, 5:15].std() < 0.03
    np.testing.assert_allclose(changed, changed[::-1, ::-1], atol=0.05)
    np.testing.assert_allclose(
        (images != pictures).mean((1, 2, 3)), 1 - labels[np.arange(n), np.arange(n) % 2], atol=1e-6
    )


@pytest.mark.parametrize("make", [fn.mixup, fn.cutmix])
def test_what_cannot_be_mixed_is_refused(make):
    with pytest.raises(errors.ArgumentError, match="class numbers need `num_classes`"):
        run(make, 4)
    with pytest.raises(errors.ArgumentError, match="the label 4 is not below `num_classes`, 4"):
        run(lambda x, y: make(x, y, num_classes=4), 8)
    with pytest.raises(errors.ArgumentError, match="`alpha` must be finite and not negative, got -1"):
        run(lambda x, y: make(x, y, num_classes=5, alpha=-1.0), 4)
    ragged = [*PICTURES[:2], PICTURES[2, :5]]
    with pytest.raises(errors.ArgumentError, match="neighbours in a batch must have one shape"):
        run(lambda x, y: make(x, y, num_classes=5), 3, 3, ragged)
    with pytest.raises(errors.ArgumentError, match="a label has 5 shares where others have 7"):
        run(lambda x, y: make(x, y, num_classes=7), 4, labels=np.eye(5, dtype=np.float32)[LABELS])


def test_cutmix_needs_rows_and_columns():
    with pytest.raises(errors.ArgumentError, match="layout"):
        run(lambda x, y: fn.cutmix(x, y, num_classes=5), 4, layout="XYZ")
