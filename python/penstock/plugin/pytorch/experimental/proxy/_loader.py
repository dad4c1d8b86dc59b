"""PyTorch's `DataLoader` with the data that a server makes."""

import torch.utils.data

__all__ = ["DataLoader"]


class DataLoader(torch.utils.data.DataLoader):
    """As PyTorch's; batches hold what `dali_server` made of what its proxy was called with.

    Args
    ----
    dali_server : DALIServer
        Started when a loop over the loader begins, unless it runs, and then stopped when the loader is gone.
    args, kwargs
        Of `torch.utils.data.DataLoader`.
    """

    def __init__(self, dali_server, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.dali_server = dali_server

    def __iter__(self):
        self.dali_server.start_thread()
        return map(self.dali_server.produce_data, super().__iter__())
