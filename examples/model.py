"""The network of DALI's JAX tutorial: 784 inputs, two hidden layers of 1,024 tanh units, ten classes, plain SGD."""

from functools import partial

import jax
import jax.numpy as jnp

LAYERS = (784, 1024, 1024, 10)
SCALE = 0.1
STEP_SIZE = 0.001


def init_model(random):
    """Weights and biases of each layer, float32, drawn from a `numpy.random.RandomState`."""

    def drawn(*shape):
        return (SCALE * random.randn(*shape)).astype(jnp.float32)

    return [(drawn(fan_in, fan_out), drawn(fan_out)) for fan_in, fan_out in zip(LAYERS[:-1], LAYERS[1:], strict=True)]


def predict(model, images):
    """Log-probabilities of the ten classes."""
    activations = images
    for weights, bias in model[:-1]:
        activations = jnp.tanh(activations @ weights + bias)
    weights, bias = model[-1]
    return jax.nn.log_softmax(activations @ weights + bias)


def loss(model, batch):
    """Mean cross entropy against one-hot labels."""
    return -jnp.mean(jnp.sum(predict(model, batch["images"]) * batch["labels"], axis=1))


def _step(model, gradients):
    return jax.tree.map(lambda value, gradient: value - STEP_SIZE * gradient, model, gradients)


@jax.jit
def update(model, batch):
    """One step. Where the batch is sharded, JAX adds up the gradients of the devices."""
    return _step(model, jax.grad(loss)(model, batch))


@partial(jax.pmap, axis_name="device")
def update_parallel(model, batch):
    """One step of every device's replica; gradients are averaged, so replicas stay equal."""
    return _step(model, jax.lax.pmean(jax.grad(loss)(model, batch), "device"))


@jax.jit
def _right(model, batch):
    right = jnp.argmax(predict(model, batch["images"]), axis=1) == batch["labels"].reshape(-1)
    return jnp.sum(right & batch["valid"])


def accuracy(model, iterator):
    """Share of right answers over one epoch; what pads the last batch does not count."""
    right = total = 0
    for batch in iterator:
        right += _right(model, batch)
        total += jnp.sum(batch["valid"])
    return float(right) / float(total)
