"""What augmentations are made of, for own ones and own policies."""

from ._augmentation import Augmentation
from ._augmentation import Augmentation as _Augmentation
from ._select import select
from ._signed import signed_bin
from .decorator import augmentation
from .policy import Policy

__all__ = ["Augmentation", "Policy", "_Augmentation", "augmentation", "select", "signed_bin"]
