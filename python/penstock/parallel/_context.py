"""What a thread knows that the code of a module depends on, carried from the caller to the workers."""

import contextlib
import contextvars

import torch

from ._devices import memory_of


class Context:
    """The caller's grad mode, inference mode, autocast (with its dtype), default device, streams and context variables.

    `torch.set_default_device("cuda")` means the current device, which each replica has of its own.

    `torch.nn.DataParallel` forgets autocast's dtype and the inference mode. Random numbers need nothing: each GPU has a
    generator of its own, and virtual devices take turns at the CPU's.
    """

    def __init__(self, devices):
        self._grad = torch.is_grad_enabled()
        self._inference = torch.is_inference_mode_enabled()
        self._cache = torch.is_autocast_cache_enabled()
        kinds = {"cpu", *(device.type for device in devices)}
        self._autocast = [
            (kind, torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)) for kind in sorted(kinds)
        ]
        self._default_device, self._home = torch.get_default_device(), memory_of(devices[0])
        self._variables = contextvars.copy_context()
        self._streams = {device: torch.cuda.current_stream(device) for device in devices if device.type == "cuda"}

    def run(self, device, function):
        """Calls `function` on this thread as if it were the caller's, with `device` as the current one."""
        return self._variables.copy().run(self._run, device, function)

    def _run(self, device, function):
        with contextlib.ExitStack() as stack:
            if device in self._streams:
                stack.enter_context(torch.cuda.device(device))
                stack.enter_context(torch.cuda.stream(self._streams[device]))
            if self._default_device.type != "cpu":  # where it is the first replica's, each has its own
                stack.enter_context(memory_of(device) if self._default_device == self._home else self._default_device)
            if self._inference:
                stack.enter_context(torch.inference_mode())
            for kind, enabled, dtype in self._autocast:
                if enabled or torch.is_autocast_enabled(kind):
                    stack.enter_context(torch.autocast(kind, dtype, enabled, self._cache))
            stack.enter_context(torch.set_grad_enabled(self._grad))
            return function()
