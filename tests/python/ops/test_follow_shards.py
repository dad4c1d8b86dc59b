"""`follow` and shards: the labels of a sample depend on seed, epoch and sample, not on which rank reads it in which
batch."""

import io
import math

import coco
import numpy as np
import pytest
from follow_runs import MOVES, chain, square

from penstock import fn, pipeline_def

SAMPLES, EPOCHS = 23, 2


@pytest.fixture(scope="module")
def squares(tmp_path_factory):
    """(folder, annotations file) of pictures with a square each, whose box is annotated."""
    Image = pytest.importorskip("PIL.Image")
    pictures = [square(np.random.default_rng(i)) for i in range(SAMPLES)]

    def encoded(i):
        file = io.BytesIO()
        Image.fromarray(pictures[i][0]).save(file, "PNG")
        return file.getvalue()

    images, boxes = [], []
    for i, (picture, [[x, y, right, bottom]]) in enumerate(pictures):
        height, width = picture.shape[:2]
        images.append({"id": i, "width": width, "height": height, "file_name": f"{i}.png"})
        box = [float(one) for one in (x, y, right - x, bottom - y)]
        boxes.append({"id": i, "image_id": i, "category_id": 1, "bbox": box, "area": box[2] * box[3], "iscrowd": 0})
    content = {"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "square"}]}
    return coco.write(tmp_path_factory.mktemp("squares"), content, encoded)


def labels_of(squares, names, shards, batch_size, threads):
    """The outputs of each (epoch, sample)."""
    root, file = squares

    @pipeline_def(batch_size=batch_size, num_threads=threads, device_id=None, seed=77, enable_conditionals=True)
    def pipe(shard):
        files, boxes, labels, ids = fn.readers.coco(
            file_root=root, annotations_file=file, image_ids=True, ltrb=True, random_shuffle=True, num_shards=shards,
            shard_id=shard, epoch_end="partial"
        )  # fmt: skip
        images = chain(names[:2], fn.decoders.image_random_crop(files, random_area=[0.7, 1.0]))
        if fn.random.coin_flip():
            images = chain(names[2:], images)
        left, classes, kept = fn.follow(boxes, images, ltrb=True, min_visible=0.3, labels=labels)
        masks = fn.follow(fn.decoders.image(files), images, kind="masks")
        points = fn.follow(boxes[:, :2], images, kind="points")
        return ids, images, fn.follow(boxes, images, ltrb=True), left, classes, kept, masks, points

    found = {}
    for shard in range(shards):
        made = pipe(shard)
        steps = math.ceil(math.ceil(SAMPLES / shards) / batch_size)
        for epoch in range(EPOCHS):
            for _ in range(steps):
                batch = made.run()
                ids, *outputs = ([np.array(one) for one in output] for output in batch)
                for i, valid in enumerate(batch.valid):
                    if valid:
                        key = (epoch, int(ids[i][0]))
                        assert key not in found, "read twice"
                        found[key] = [output[i] for output in outputs]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_labels_of_a_sample_are_the_same_on_any_shard_in_any_batch(squares, seed):
    names = [str(name) for name in np.random.default_rng(seed).choice(list(MOVES), 4)]
    whole, parts = labels_of(squares, names, 1, 8, 1), labels_of(squares, names, 3, 5, 2)
    assert set(whole) == set(parts) == {(epoch, i) for epoch in range(EPOCHS) for i in range(SAMPLES)}
    for key, outputs in whole.items():
        for a, b in zip(outputs, parts[key], strict=True):
            np.testing.assert_array_equal(a, b, f"{names} {key}")
    moved = [not np.array_equal(whole[0, i][1], whole[1, i][1]) for i in range(SAMPLES)]
    assert sum(moved) > SAMPLES // 2, "epochs draw numbers of their own"
