# %% [markdown]
# # A PyTorch module on several devices
#
# `penstock.parallel.DataParallel` takes the place of `torch.nn.DataParallel`. Its replicas persist, and weights are
# sent only when they have changed. Here the devices are two virtual ones of the CPU; on a host with GPUs leave
# `devices` out.

# %%
import torch
from torch import nn

from penstock.parallel import DataParallel

torch.manual_seed(0)
network = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8))
model = DataParallel(network, ["cpu:0", "cpu:1"])
inputs, targets = torch.randn(64, 32), torch.randint(0, 8, (64,))
print("results", tuple(model(inputs).shape))

# %% [markdown]
# Gradients arrive at the module's own parameters, so the optimizer stays as it is. They equal those of one device:

# %%
loss = nn.functional.cross_entropy(model(inputs), targets)
loss.backward()
parallel = [parameter.grad.clone() for parameter in network.parameters()]

network.zero_grad()
nn.functional.cross_entropy(network(inputs), targets).backward()
largest = max((a - p.grad).abs().max().item() for a, p in zip(parallel, network.parameters(), strict=True))
print("gradients agree:", largest < 1e-6)
assert largest < 1e-6

# %% [markdown]
# `train_step` computes the loss on each device for its own rows, and gathers nothing:

# %%
optimizer = torch.optim.SGD(network.parameters(), lr=0.2)
step = model.train_step(nn.CrossEntropyLoss(), optimizer)
losses = [step(inputs, targets).item() for _ in range(30)]
print(f"loss {losses[0]:.2f} to {losses[-1]:.2f} in {len(losses)} steps")
assert losses[-1] < losses[0]

# %% [markdown]
# Rows need not be equal. Errors name the replica and its rows:

# %%
uneven = DataParallel(network, ["cpu:0", "cpu:1"], split=[3, 1])
print("results with three quarters on the first device:", tuple(uneven(inputs).shape))


class Picky(nn.Module):
    def forward(self, rows):
        if (rows > 60).any():
            raise ValueError("a value above 60")
        return rows


try:
    DataParallel(Picky(), ["cpu:0", "cpu:1"])(torch.arange(64.0)[:, None])
except ValueError as error:
    print(f"{type(error).__name__}: {str(error).splitlines()[0]}")  # the original traceback follows
