"""Penstock and other loaders on this machine, the same job in turns. `python -m penstock.bench`, `penstock bench`.

- `pipelines.py`, `torchvision_jobs.py`: what is measured. Penstock and DALI run the same lines of one file.
- `block.py`: one measurement, in a process of its own. `contest.py`: two loaders in turns.
- `latency.py` (beside `nvjpeg.py`), `scaling.py`, `jax_steps.py`, `parallel.py`: programs of their own.
- `data.py`: the files they read. `startup.py`: import time. `machine.py`, `report.py`: facts and tables.
"""
