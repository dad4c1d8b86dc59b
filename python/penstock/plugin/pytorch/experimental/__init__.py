"""What DALI's users find under ``plugin.pytorch.experimental``: `proxy`."""

from . import proxy

__all__ = ["proxy"]
