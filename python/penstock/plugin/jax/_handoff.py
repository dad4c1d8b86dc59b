"""Batches into memory that is JAX's own."""

import collections

import numpy as np

from ...tensors import TensorGPU


class Handoff:
    """Makes arrays of batches.

    What lies on a GPU is copied there. JAX does not say on which stream it reads memory of others, so the batch is held
    until its copy is made; nobody waits for that.
    """

    def __init__(self):
        self._held = collections.deque()  # (batch, mark), oldest first
        self._copied = None

    def array(self, batch):
        """The batch as one array: JAX's on its GPU, or NumPy's of the host's memory."""
        import jax

        tensor = batch.as_tensor()
        if isinstance(tensor, TensorGPU) and jax.default_backend() != "gpu":
            tensor = tensor.as_cpu()  # a JAX that was installed without CUDA, or told to use the CPU
        if not isinstance(tensor, TensorGPU):
            return np.asarray(tensor)

        if self._copied is None:
            # The mark is made by the same launch, so it is ready when the copy is, whatever becomes of the copy.
            self._copied = jax.jit(lambda x: (jax.numpy.copy(x), jax.numpy.zeros((), bool)))
        while self._held and self._held[0][1].is_ready():
            self._held.popleft()
        view = jax.dlpack.from_dlpack(tensor)
        copy, mark = self._copied(view)
        self._held.append((view, mark))
        return copy
