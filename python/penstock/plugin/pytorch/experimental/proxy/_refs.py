"""What stands for data that the pipeline has still to make, on its way through `DataLoader`'s workers."""

import itertools
import os

from torch.utils.data._utils.collate import default_collate_fn_map

__all__ = ["DALIOutputBatchRef", "DALIOutputSampleRef", "DALIPipelineRunRef", "Proxy"]

_numbers = itertools.count()


class DALIPipelineRunRef:
    """One batch: its `key` in all processes, and its `inputs` by name until they are sent."""

    def __init__(self, inputs):
        self.key = os.getpid(), next(_numbers)
        self.inputs = inputs
        self.outputs = None  # once they are there

    def __repr__(self):
        return f"DALIPipelineRunRef(key={self.key})"


class _Call:
    """One call of the proxy: the inputs of one sample."""

    def __init__(self, proxy, inputs):
        self.proxy = proxy
        self.inputs = inputs
        self.place = None  # the batch that it went into, and its number there


class DALIOutputSampleRef:
    """Output number `output` of the sample that the `call` of a proxy asked for."""

    def __init__(self, call, output):
        self.call = call
        self.output = output

    def __repr__(self):
        return f"DALIOutputSampleRef(output={self.output})"


class DALIOutputBatchRef:
    """Output number `output` of the batch `run`."""

    def __init__(self, run, output):
        self.run = run
        self.output = output

    def __repr__(self):
        return f"DALIOutputBatchRef({self.run}, output={self.output})"


class Proxy:
    """Called with the inputs of one sample; gives what stands for each output, one value where there is one output.

    Can be pickled to workers. With one input it may be positional, otherwise inputs have the names of the external
    sources. `ValueError` for others.
    """

    def __init__(self, names, num_outputs, requests, deterministic):
        self._names = names
        self._num_outputs = num_outputs
        self._requests = requests
        self._deterministic = deterministic

    def __call__(self, *args, **kwargs):
        """One sample.

        Args
        ----
        args, kwargs
            Arrays or tensors in host memory, one for each external source.
        """
        if len(self._names) == 1 and len(args) == 1 and not kwargs:
            kwargs = {self._names[0]: args[0]}
        elif args:
            raise ValueError(f"too many positional arguments: {len(args)}; {self._expected()}")
        if set(kwargs) != set(self._names):
            raise ValueError(f"got {sorted(kwargs)}; {self._expected()}")
        call = _Call(self, kwargs)
        refs = tuple(DALIOutputSampleRef(call, i) for i in range(self._num_outputs))
        return refs[0] if len(refs) == 1 else refs

    def _expected(self):
        many = "one input, also without its name:" if len(self._names) == 1 else "inputs by name:"
        return f"Expected signature is: {many} {', '.join(self._names)}"

    def _batch(self, calls):
        """The batch of those calls in that order: a new one unless another output of theirs was collated before."""
        run = calls[0].place and calls[0].place[0]
        if run is not None and all(call.place == (run, i) for i, call in enumerate(calls)):
            return run
        run = DALIPipelineRunRef({name: [call.inputs[name] for call in calls] for name in self._names})
        for i, call in enumerate(calls):
            call.place = run, i
        if not self._deterministic:
            self._requests.put((run.key, run.inputs))
            run.inputs = None
        return run


def _collate(samples, *, collate_fn_map=None):
    """A batch of `samples`, which stand for one output of a proxy; PyTorch's default collation calls this."""
    del collate_fn_map
    first = samples[0]
    if any(one.call.proxy is not first.call.proxy or one.output != first.output for one in samples):
        raise RuntimeError("a batch holds samples of one output of one proxy, in the same place of each sample")
    return DALIOutputBatchRef(first.call.proxy._batch([one.call for one in samples]), first.output)


default_collate_fn_map[DALIOutputSampleRef] = _collate
