"""Captures of one device, which leave PyTorch as it was, whatever is raised within."""

import contextlib
import sys

import torch


class Recorder:
    """Captures what is queued on a device, all of it on one `stream`: there it is rehearsed before."""

    def __init__(self, device):
        self._device, self.stream = device, torch.cuda.Stream(device)
        with torch.inference_mode(False):  # or it could not be written outside
            self._blank = torch.zeros(1, device=device)

    def record(self, function, pool):
        """(graph, what `function` returned), with memory of that pool."""
        graph, raised = torch.cuda.CUDAGraph(), None
        try:
            self._leave_workspaces()
            with (
                torch.cuda.device(self._device),
                torch.autograd.set_multithreading_enabled(False),
                torch.cuda.stream(self.stream),  # PyTorch before 2.15 leaves it current where a capture's end raises
                torch.cuda.graph(graph, pool, self.stream, capture_error_mode="thread_local"),
                torch.cuda.stream(self.stream),  # or no capture would end where the function leaves another one current
            ):
                try:
                    return graph, function()
                except BaseException as error:
                    raised = error
                    raise
        except BaseException as error:
            self._clear_up(graph, pool)
            # The first, which may be an interrupt: the end of a broken capture raises, too.
            raise raised or error  # noqa: B904
        finally:
            del raised  # its traceback keeps this frame, and so the memory of the capture
            with contextlib.suppress(RuntimeError):
                self.stream.synchronize()  # see _capture_nothing: graphs are replayed on other streams

    def _leave_workspaces(self):
        """The next capture takes a workspace for cuBLAS in its own memory: 8 MB, 32 on Hopper.

        PyTorch before 2.15 keeps one for each stream, here that of the rehearsal. Since 2.12 it is given up with any
        graph that was captured on that stream, while others go on to write there.
        """
        self._capture_nothing()  # before 2.12 it changes nothing
        if "torch._inductor.cudagraph_trees" in sys.modules:  # they give up all workspaces, in every version
            torch._C._cuda_clearCublasWorkspaces()

    def _capture_nothing(self):
        """Begins a capture, ends it and drops it.

        Where a capture begins PyTorch writes, on its stream, what all graphs read when they draw random numbers.
        """
        torch.cuda.synchronize(self._device)  # some may be drawing
        graph, pool = torch.cuda.CUDAGraph(), torch.cuda.graph_pool_handle()
        try:
            with torch.cuda.device(self._device), torch.cuda.stream(self.stream):
                graph.capture_begin(pool, capture_error_mode="thread_local")
                self._blank.zero_()  # PyTorch warns of empty graphs
                graph.capture_end()
        finally:
            self._drop(graph, pool)

    def _clear_up(self, graph, pool):
        """After a capture that failed."""
        self._drop(graph, pool)
        with contextlib.suppress(RuntimeError):  # where the GPU does nothing any more, the first error says why
            # Before PyTorch 2.12 the generator believes in a capture until one ends. It must stay as it is: a new state
            # would be none of the graphs that draw from this one, be they of other wrappers or the user's.
            self._capture_nothing()

    def _drop(self, graph, pool):
        """Also where the capture has failed: then PyTorch before 2.15 would keep the pool, and its allocator go on."""
        graph.reset()
        with contextlib.suppress(RuntimeError):  # where it had ended
            torch._C._cuda_endAllocateToPool(self._device.index, pool)
            torch._C._cuda_releasePool(self._device.index, pool)
