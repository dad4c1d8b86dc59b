"""What scripts take from ``nvidia.dali.plugin.triton``; the backend of that server runs DALI itself."""

from ..pipeline.contract import is_pipeline_def

__all__ = ["autoserialize"]


def autoserialize(dali_pipeline):
    """Marks the pipeline definition `dali_pipeline` for serialization and returns it. `TypeError` for what is none."""
    if not is_pipeline_def(dali_pipeline):
        raise TypeError("Only `@pipeline_def` can be decorated with `@triton.autoserialize`.")
    dali_pipeline._is_autoserialize = True
    return dali_pipeline
