"""`if`, `and`, `or` and `not` over nodes in pipeline definitions: see `pipeline_def`."""

from ._convert import converted, do_not_convert, is_left_alone

__all__ = ["converted", "do_not_convert", "is_left_alone"]
