"""How gradients of copies come to the originals in a backward pass without graphs."""

import torch

_BUCKET = 25 << 20  # bytes of gradients that travel together, as in DistributedDataParallel


def buckets(entries):
    """Entries in groups of about `_BUCKET` bytes, the last layers, whose gradients come first, in the first group."""
    bucket, size = [], 0
    for entry in reversed(entries):
        bucket.append(entry)
        size += entry.original.numel() * entry.original.element_size()
        if size >= _BUCKET:
            yield bucket
            bucket, size = [], 0
    if bucket:
        yield bucket


class Bridge(torch.autograd.Function):
    """Copies that pass for their originals: no data moves forward, gradients travel to the originals' device."""

    @staticmethod
    def forward(ctx, copies, *originals):
        ctx.set_materialize_grads(False)
        ctx.device = originals[0].device
        return tuple(copy.detach() for copy in copies)

    @staticmethod
    def backward(ctx, *grads):
        sent = iter(_sent([grad for grad in grads if grad is not None], ctx.device))
        return None, *(None if grad is None else next(sent) for grad in grads)


def _sent(tensors, device):
    """The same tensors on that device: those of one type travel together, since each transfer costs the host time."""
    dense = [one for one in tensors if one.layout == torch.strided]
    made = {id(one): one.to(device, non_blocking=True) for one in tensors if one.layout != torch.strided}
    for dtype in {one.dtype for one in dense}:
        own = [one for one in dense if one.dtype == dtype]
        flat = torch.cat([one.reshape(-1) for one in own]).to(device, non_blocking=True)
        for one, part in zip(own, flat.split([one.numel() for one in own]), strict=True):
            made[id(one)] = part.view(one.shape)
    return [made[id(one)] for one in tensors]
