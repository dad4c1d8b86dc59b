"""TensorFlow datasets: the batches of a pipeline, one of its own for each iterator, and inputs from other datasets."""

import gc

import numpy as np
import pytest

from penstock import Pipeline, fn, pipeline_def, types

tf = pytest.importorskip("tensorflow", reason="TensorFlow is not installed")
plugin = pytest.importorskip("penstock.plugin.tf")
OPTIONS = {"batch_size": 4, "num_threads": 2, "device_id": types.CPU_ONLY_DEVICE_ID}


@pipeline_def(**OPTIONS, seed=3)
def pictures(root):
    files, labels = fn.readers.file(file_root=root, random_shuffle=True)
    return fn.random_resized_crop(fn.decoders.image(files), size=(8, 9)), labels


@pytest.fixture
def photos(shared):
    return str(shared / "photos")


def dataset_of(pipe, dtypes, shapes=None, **options):
    make = plugin.experimental.DALIDatasetWithInputs if "input_datasets" in options else plugin.DALIDataset
    return make(pipe, dtypes, shapes, **{**OPTIONS, **options})


def live_runners():
    gc.collect()
    return len(plugin._dataset._runners)


def test_each_iterator_gives_the_batches_of_the_pipeline_from_the_first_on(photos):
    dataset = dataset_of(pictures(photos), (tf.uint8, tf.int32), ((4, 8, 9, 3), None))
    assert dataset.element_spec[0] == tf.TensorSpec((4, 8, 9, 3), tf.uint8)
    for _ in range(2):
        reference = pictures(photos)
        for images, labels in dataset.take(14):
            expected = [one.as_array() for one in reference.run()]
            assert np.array_equal(images, expected[0]) and np.array_equal(labels, expected[1])
    assert live_runners() == 0


def test_iterators_that_are_left_close_their_pipelines(photos):
    iterator = iter(dataset_of(pictures(photos), (tf.uint8, tf.int32)))
    next(iterator)
    assert live_runners() == 1
    del iterator
    assert live_runners() == 0


def test_it_goes_through_other_datasets_and_graphs(photos):
    dataset = dataset_of(pictures(photos), (tf.uint8, tf.int32), ((4, 8, 9, 3), (4, 1)))

    @tf.function
    def total():
        return dataset.map(lambda images, labels: tf.reduce_sum(labels)).prefetch(2).take(12).reduce(0, tf.add)

    reference = pictures(photos)
    assert int(total()) == sum(int(reference.run()[1].as_array().sum()) for _ in range(12))


@pytest.mark.parametrize(
    ("wanted", "came"),
    [
        ((None,) * 4, (4, 1, 2, 1)),
        ((None, None, 2), (4, 1, 2)),
        ((4, 2), (4, 2)),
        ((4, 2, 1), (4, 2, 1)),
        (None, (4, 1, 2, 1)),
        ((5, None, None, None), None),
        ((4, None, 3), None),
        ((4, 2, 1, 1), None),
    ],
)
def test_axes_of_extent_one_may_be_left_out_of_shapes(wanted, came):
    @pipeline_def(**OPTIONS)
    def pipe():
        return fn.constant(idata=[1, 1], shape=[1, 2, 1], dtype=types.UINT8)

    dataset = dataset_of(pipe(), tf.uint8, wanted)
    if came is None:
        with pytest.raises(tf.errors.InvalidArgumentError, match="The shape provided for output `0` is not compatible"):
            next(iter(dataset))
    else:
        assert next(iter(dataset))[0].shape == came


def test_types_and_numbers_of_outputs_must_fit(photos):
    with pytest.raises(tf.errors.InvalidArgumentError, match="The type provided for output `1` is not compatible"):
        next(iter(dataset_of(pictures(photos), (tf.uint8, tf.int64))))
    with pytest.raises(tf.errors.InvalidArgumentError, match="the pipeline has 2 outputs"):
        next(iter(dataset_of(pictures(photos), tf.uint8)))
    with pytest.raises(ValueError, match="The two structures don't have the same sequence length"):
        dataset_of(pictures(photos), (tf.uint8, tf.int32), (None,))
    with pytest.raises(TypeError, match="`output_dtypes` should be provided"):
        dataset_of(pictures(photos), "uint8")
    with pytest.warns(DeprecationWarning, match="`shapes` is deprecated"):
        plugin.DALIDataset(pictures(photos), (tf.uint8, tf.int32), shapes=[(4, 8, 9, 3), (4, 1)])


def samples(dtype=np.int32, count=10):
    def generate():
        for i in range(count):
            yield np.full((i % 3 + 1, 2), i, dtype)

    return tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec((None, 2), tf.as_dtype(dtype)))


@pipeline_def(**OPTIONS)
def padded(source=None):
    data = fn.external_source(name="data", layout="HW")
    outputs = [fn.pad(data), data.shape()]
    return (*outputs, fn.external_source(source, batch=False)) if source else tuple(outputs)


def test_datasets_of_samples_of_any_shape_are_inputs():
    dataset = dataset_of(padded(), (tf.int32, tf.int64), input_datasets={"data": samples()})
    for _ in range(2):
        batches = list(dataset)
        assert len(batches) == 2  # the last samples fill no batch
        for i, (data, shapes) in enumerate(batches):
            assert data.numpy()[:, 0, 0].tolist() == [4 * i + j for j in range(4)]
            assert shapes.numpy()[:, 0].tolist() == [(4 * i + j) % 3 + 1 for j in range(4)]


def test_datasets_of_batches_are_inputs_and_sources_are_asked():
    class Counts:
        def __call__(self, info):
            if info.iteration == 3:
                raise StopIteration
            return np.array([info.idx_in_epoch])

    whole = tf.data.Dataset.from_tensors(np.arange(8, dtype=np.float32).reshape(4, 1, 2)).repeat()
    fed = plugin.experimental.Input(whole, batch=True)
    dataset = dataset_of(padded(Counts()), (tf.float32, tf.int64, tf.int64), input_datasets={"data": fed})
    for _ in range(2):
        got = list(dataset)
        assert [one[2].numpy().ravel().tolist() for one in got] == [[4 * i + j for j in range(4)] for i in range(3)]
        assert np.array_equal(got[0][0].numpy().ravel(), np.arange(8))


def test_inputs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="DALIDataset got a DALI pipeline containing External Source"):
        dataset_of(padded(), (tf.int32, tf.int64))
    for wrong in ("data", [samples()], {"data": "text"}, {3: samples()}):
        with pytest.raises(TypeError, match="`input_datasets` must be a dictionary"):
            dataset_of(padded(), (tf.int32, tf.int64), input_datasets=wrong)
    with pytest.raises(ValueError, match="Did not find an External Source placeholder node with name='other'"):
        dataset_of(padded(), (tf.int32, tf.int64), input_datasets={"data": samples(), "other": samples()})
    with pytest.raises(ValueError, match="not assigned any inputs"):
        dataset_of(padded(), (tf.int32, tf.int64), input_datasets={})
    with pytest.raises(TypeError, match="unexpected keyword argument 'input_datasets'"):
        plugin.DALIDataset(padded(), tf.int32, input_datasets={})
    with pytest.raises(TypeError, match="must be instances of"):
        plugin.experimental.Input([1])

    @pipeline_def(**OPTIONS)
    def unnamed():
        return fn.external_source()

    with pytest.raises(ValueError, match="was not named"):
        dataset_of(unnamed(), tf.int32, input_datasets={})

    @pipeline_def(**OPTIONS)
    def function():
        return fn.python_function(fn.constant(idata=[1]), function=lambda x: x)

    with pytest.raises(RuntimeError, match="Error during pipeline initialization"):
        dataset_of(function(), tf.int32)


def test_the_iterator_gives_tensors_dense_and_sparse():
    @pipeline_def(**OPTIONS)
    def pipe():
        sizes = fn.constant(idata=[3], shape=[1])
        return sizes, fn.cast(sizes, dtype=types.FLOAT)

    dense, sparse = plugin.DALIIterator()(
        pipe(), shapes=[(4, 1), ()], dtypes=[tf.int64, tf.float32], sparse=[False, True], **{
            key: OPTIONS[key] for key in ("num_threads", "device_id")
        }
    )  # fmt: skip
    assert dense.dtype == tf.int64 and dense.numpy().tolist() == [[3]] * 4
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [[3]] * 4
    with pytest.raises(ValueError, match="shapes and batch_size arguments cannot be empty"):
        plugin.DALIIterator()(pipe(), dtypes=[tf.int64])
    assert isinstance(pipe(), Pipeline)


@pipeline_def(**OPTIONS)
def of_few(root, shard):
    reader = {"num_shards": 30, "shard_id": shard, "epoch_end": "partial"}  # of fewer files
    files, labels = fn.readers.file(file_root=root, **reader)
    return fn.resize(fn.decoders.image(files), size=(8, 9)), labels


@pytest.mark.parametrize("shard", [0, 29])
def test_batches_without_samples_have_the_extents_and_type_of_samples(photos, shard):
    dataset = dataset_of(of_few(photos, shard), (tf.uint8, tf.int32), ((None, 8, 9, 3), None))
    reference = of_few(photos, shard)
    for images, labels in dataset.take(3):
        count = len(reference.run()[0])
        assert (images.shape, images.dtype) == ((count, 8, 9, 3), tf.uint8)
        assert (labels.shape, labels.dtype) == ((count, 1), tf.int32)


def test_batches_without_samples_of_a_source_are_what_was_promised():
    pipe = Pipeline(**OPTIONS)
    with pipe:
        pipe.set_outputs(fn.external_source(lambda: np.zeros((0, 2, 5), np.float32)))
    dataset = dataset_of(pipe, (tf.float32,), ((None, 2, 5),), input_datasets={})
    for (batch,) in dataset.take(2):
        assert (batch.shape, batch.dtype) == ((0, 2, 5), tf.float32)
