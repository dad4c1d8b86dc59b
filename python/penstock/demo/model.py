"""The network of DALI's JAX tutorial: 784 inputs, two hidden layers of 1,024 tanh units, ten classes."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

LAYERS = (784, 1024, 1024, 10)


def init_model(layers=LAYERS, scale=0.1, seed=0):
    """Weights and biases of each layer."""
    random = np.random.RandomState(seed)
    return [
        (scale * random.randn(fan_in, fan_out).astype(np.float32), scale * random.randn(fan_out).astype(np.float32))
        for fan_in, fan_out in zip(layers[:-1], layers[1:], strict=True)
    ]


def predict(model, images):
    """Log-probabilities (batch, 10) of images (batch, 784)."""
    *hidden, (last_weights, last_bias) = model
    activations = images
    for weights, bias in hidden:
        activations = jnp.tanh(activations @ weights + bias)
    return jax.nn.log_softmax(activations @ last_weights + last_bias)


def loss(model, batch):
    """Mean cross entropy against one-hot labels."""
    return -jnp.mean(jnp.sum(predict(model, batch["images"]) * batch["labels"], axis=1))


@partial(jax.jit, donate_argnums=0)
def update(model, batch, step_size):
    """One step of gradient descent. Where the batch is sharded, JAX sums the gradients over the devices."""
    gradients = jax.grad(loss)(model, batch)
    return jax.tree.map(lambda value, gradient: value - step_size * gradient, model, gradients)


@jax.jit
def _hits(model, batch):
    return jnp.sum(jnp.argmax(predict(model, batch["images"]), axis=1) == batch["labels"].reshape(-1))


def accuracy(model, iterator):
    """Share of right answers over one epoch of batches with plain labels."""
    hits = samples = 0
    for batch in iterator:
        hits += _hits(model, batch)
        samples += len(batch["images"])
    return float(hits) / samples
