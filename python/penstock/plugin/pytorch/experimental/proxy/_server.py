"""The side of the proxy that has the pipeline: a thread makes the batches that workers asked for."""

import collections
import queue
import threading

import torch.multiprocessing

from ....._core import batch_of
from .....pipeline.contract import run_of
from ..._tensors import tensor_of
from ._refs import DALIOutputBatchRef, Proxy

__all__ = ["DALIServer"]

_STOP, _NOTHING = None, object()
_GRACE_S = 1.0  # seconds between looks whether the thread is still there


class DALIServer:
    """Makes the batches of a pipeline whose external sources are fed by `proxy` in workers of `DataLoader`.

    Used in a ``with`` block, or by `DataLoader` of this module, which starts it.

    Args
    ----
    pipeline : Pipeline
        One whose external sources have no `source`, and whose outputs can be tensors: samples of one shape. It is used
        by the server alone. `ValueError` without such sources.
    deterministic : bool
        Batches are made in the order in which the loader gives them, so that random numbers repeat. They are then
        begun only when they are asked for. Otherwise they are made in the order in which workers come.
    """

    def __init__(self, pipeline, deterministic=False):
        pipeline.build()
        self._run = run_of(pipeline)
        names = self._run.fed_names()
        if not names:
            raise ValueError("the pipeline of a DALIServer has an external source without `source`, which is to be fed")
        self._pipeline = pipeline
        self._deterministic = deterministic
        # Of a context that forks and spawned processes can both take over.
        self._requests = torch.multiprocessing.get_context("spawn").Queue()
        self._results = {}  # by key of the batch: tensors, or what was raised instead
        self._arrived = threading.Condition()
        self._thread = None
        self._proxy = Proxy(names, pipeline.num_outputs, self._requests, deterministic)

    @property
    def proxy(self):
        """What workers call with the inputs of one sample, like a transform; see `Proxy`."""
        return self._proxy

    def start_thread(self):
        """Begins to make batches. A second call does nothing."""
        if not self._is_thread_running():
            self._thread = threading.Thread(target=self._serve, name="penstock-proxy", daemon=True)
            self._thread.start()

    def stop_thread(self):
        """Ends that, after the batches in the making."""
        if self._is_thread_running():
            self._requests.put(_STOP)
            self._thread.join()
        self._thread = None

    def _is_thread_running(self):
        return self._thread is not None and self._thread.is_alive()

    def __enter__(self):
        self.start_thread()
        return self

    def __exit__(self, *_exception):
        self.stop_thread()

    def produce_data(self, obj):
        """`obj` with data in the place of what stands for it: lists, dicts and objects are changed, tuples made anew.

        Args
        ----
        obj : any
            What a loader gave. What the pipeline raised for its batch is raised here. `RuntimeError` when the server
            is not running.
        """
        return self._replaced(obj, {})

    def _replaced(self, obj, met):
        if isinstance(obj, DALIOutputBatchRef):
            return self._outputs(obj.run)[obj.output]
        if id(obj) in met or isinstance(obj, (type, torch.Tensor, torch.nn.Module)):
            return met.get(id(obj), obj)
        met[id(obj)] = obj
        if isinstance(obj, list):
            obj[:] = [self._replaced(one, met) for one in obj]
        elif isinstance(obj, dict):
            for key, one in list(obj.items()):
                obj[key] = self._replaced(one, met)
        elif isinstance(obj, tuple):
            parts = [self._replaced(one, met) for one in obj]
            if any(new is not old for new, old in zip(parts, obj, strict=True)):
                met[id(obj)] = type(obj)(*parts) if hasattr(obj, "_fields") else type(obj)(parts)
        else:
            for name, one in list(getattr(obj, "__dict__", {}).items()):
                new = self._replaced(one, met)
                if new is not one:
                    setattr(obj, name, new)
        return met[id(obj)]

    def _outputs(self, run):
        """Tensors of that batch, one for each output; waits for them."""
        if run.outputs is None:
            if run.inputs is not None:
                self._requests.put((run.key, run.inputs))
                run.inputs = None
            run.outputs = self._awaited(run.key)
        if isinstance(run.outputs, BaseException):
            raise run.outputs
        return run.outputs

    def _awaited(self, key):
        with self._arrived:
            while key not in self._results:
                if not self._is_thread_running():
                    raise RuntimeError(
                        "the DALIServer is not running: use it in a `with` block, or call start_thread()"
                    )
                self._arrived.wait(_GRACE_S)
            return self._results.pop(key)

    def _serve(self):
        """The thread: starts as many batches as the pipeline makes at a time, and hands them out in that order."""
        making, stopped = collections.deque(), False
        while making or not stopped:
            request = None
            if not stopped and len(making) < self._run.depth:
                request = self._received(wait=not making)
                stopped = request is _STOP
            if request and request is not _NOTHING:
                self._start(*request, making)
            elif making:
                self._finish(making.popleft())

    def _received(self, wait):
        try:
            return self._requests.get(block=wait)
        except queue.Empty:
            return _NOTHING

    def _start(self, key, inputs, making):
        try:
            batches = {name: batch_of(samples, None, True) for name, samples in inputs.items()}
            for name, batch in batches.items():
                self._pipeline.feed_input(name, batch)
            self._pipeline.schedule_run()
        except Exception as error:  # noqa: BLE001 - raised where the batch is taken
            self._hand_out(key, error)
        else:
            making.append(key)

    def _finish(self, key):
        try:
            made = [tensor_of(output, None, i) for i, output in enumerate(self._pipeline.share_outputs())]
        except Exception as error:  # noqa: BLE001 - likewise
            made = error
        self._hand_out(key, made)

    def _hand_out(self, key, made):
        with self._arrived:
            self._results[key] = made
            self._arrived.notify_all()
