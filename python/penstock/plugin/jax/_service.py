"""JAX's coordination service, which every process of a program can reach."""

import socket
import time

_SLICE = 0.2  # seconds: a wait within the service does not hear Ctrl-C


def _state():
    from jax._src import distributed  # what multihost_utils and Orbax use; JAX has no public name for it

    return distributed.global_state


def client():
    """What asks the service; None where there is one process."""
    return _state().client


def fetched(key, seconds):
    """What another process says under `key`. `TimeoutError` when it has not within `seconds`."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            return client().blocking_key_value_get(key, int(min(left, _SLICE) * 1000) + 1)
        except Exception as error:
            if "DEADLINE_EXCEEDED" not in str(error):
                raise
    raise TimeoutError(key)


def own_hosts():
    """Names and addresses under which other processes may reach this one, the likeliest first.

    They have all found the service. In the process that has it, its address is ours; elsewhere it is reached through
    the network that we are reached through.
    """
    host, port = _state().coordinator_address.rsplit(":", 1)
    host = host.strip("[]")
    if _state().process_id:
        family, _, _, _, address = socket.getaddrinfo(host, int(port), type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as unused:
            unused.connect(address)  # sends nothing
            host = unused.getsockname()[0]
    return [host, socket.gethostname()]
