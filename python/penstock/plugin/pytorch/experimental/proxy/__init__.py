"""A pipeline behind PyTorch's `DataLoader`: workers call `DALIServer.proxy` like a transform, and it does the work.

Workers only hand inputs over; the process that made the pipeline makes whole batches of them, in the loader's order::

    with DALIServer(pipe) as server:
        dataset = ImageFolder(root, transform=server.proxy, loader=read_path)
        for images, labels in DataLoader(server, dataset, batch_size=64, num_workers=8):
            ...
"""

from ._loader import DataLoader
from ._refs import DALIOutputBatchRef, DALIOutputSampleRef, DALIPipelineRunRef
from ._server import DALIServer

__all__ = ["DALIOutputBatchRef", "DALIOutputSampleRef", "DALIPipelineRunRef", "DALIServer", "DataLoader"]
