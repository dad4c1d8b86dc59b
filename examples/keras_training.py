"""Trains on MNIST's digits with Keras 3, on the back end that KERAS_BACKEND names: jax, torch or tensorflow.

    KERAS_BACKEND=jax python examples/keras_training.py FOLDER [--epochs N] [--batch-size N]

FOLDER holds MNIST's four files, or databases training/ and testing/ as `penstock.packing` makes them. Each back end
takes NumPy's arrays and moves them to its device.
"""

import argparse
import pathlib
import tempfile

import keras
import numpy as np
from mnist import databases

import penstock.fn as fn
import penstock.types as types
from penstock import pipeline_def


@pipeline_def(num_threads=2, device_id=types.CPU_ONLY_DEVICE_ID)
def digits(data_path, random_shuffle):
    jpegs, labels = fn.readers.caffe2(path=data_path, random_shuffle=random_shuffle, name="mnist")
    images = fn.decoders.image(jpegs, output_type=types.GRAY)
    return fn.crop_mirror_normalize(images, dtype=types.FLOAT, std=[255.0], output_layout="HWC"), labels


def batches(pipe):
    """Images and labels without an end: Keras counts the steps of an epoch. A batch is lent until the next one."""
    while True:
        images, labels = pipe.run()
        yield np.array(images.as_array()), np.array(labels.as_array())


def network():
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
            keras.layers.Conv2D(32, 3, strides=2, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        training, testing = databases(options.folder, pathlib.Path(cache))
        train = digits(training, random_shuffle=True, batch_size=options.batch_size)
        test = digits(testing, random_shuffle=False, batch_size=options.batch_size)
        steps = {pipe: pipe.epoch_size("mnist") // options.batch_size for pipe in (train, test)}
        model = network()
        model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
        print(f"{keras.backend.backend()}: {steps[train]} batches to train with, {steps[test]} to test with")
        for epoch in range(options.epochs):
            model.fit(batches(train), steps_per_epoch=steps[train], shuffle=False, verbose=0)
            _, accuracy = model.evaluate(batches(test), steps=steps[test], verbose=0)
            print(f"Epoch {epoch}: test set accuracy {accuracy:.4f}", flush=True)


if __name__ == "__main__":
    main()
