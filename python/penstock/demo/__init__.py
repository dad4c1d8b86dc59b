"""A first run: trains a small network on handwritten digits with JAX, on all devices. `python -m penstock.demo`."""
