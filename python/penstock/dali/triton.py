"""What scripts take from ``nvidia.dali.plugin.triton``. Triton's DALI backend runs DALI, so it reads DALI's own models."""

from .._pipeline_def import is_pipeline_def

__all__ = ["autoserialize"]


def autoserialize(dali_pipeline):
    """Marks the pipeline definition `dali_pipeline` for serialization and returns it. `TypeError` for what is none."""
    if not is_pipeline_def(dali_pipeline):
        raise TypeError("Only `@pipeline_def` can be decorated with `@triton.autoserialize`.")
    dali_pipeline._is_autoserialize = True
    return dali_pipeline
