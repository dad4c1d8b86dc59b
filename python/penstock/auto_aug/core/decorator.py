"""The decorator that makes augmentations."""

from ._augmentation import Augmentation


def augmentation(
    function=None, *, mag_range=None, randomly_negate=None, mag_to_param=None, param_device=None, name=None,
    augmentation_cls=None,
):  # fmt: skip
    """Turns a function of samples and a parameter into an `Augmentation`; bare or with settings.

    Args
    ----
    function : callable
        Takes a node of samples and the parameter, a node or None, at least; returns a node of samples.
    mag_range : (number, number) or numpy.ndarray
        The least and the greatest magnitude, between which as many are taken as the call says, evenly spaced; or all
        magnitudes. Without it the parameter is None.
    randomly_negate : bool
        Whether magnitudes are negated for half of the samples, at random.
    mag_to_param : callable
        Makes the parameter of a magnitude: an array, of one type and shape for all. It is called when the pipeline is
        defined. The magnitude itself when not given.
    param_device : str
        Where parameters lie: "cpu", which is the default, "gpu", or "auto" for where the samples are.
    name : str
        Shown to people. The function's when not given.
    augmentation_cls : type
        The class of what is made: `Augmentation`, or one that is derived from it.
    """

    def decorate(one):
        if not callable(one):
            raise TypeError(
                f"The `@augmentation` decorator was used to decorate the object that is not callable: {one}."
            )
        if isinstance(one, Augmentation):
            raise TypeError(
                "The `@augmentation` was applied to already decorated Augmentation. Please call "
                f"`{one.name}.augmentation` method to modify the augmentation setup or apply the decorator to the "
                f"underlying `{one.name}.op` directly.\nError in augmentation: {one}."
            )
        kind = augmentation_cls or Augmentation
        return kind(
            one, mag_range=mag_range, randomly_negate=randomly_negate, mag_to_param=mag_to_param,
            param_device=param_device, name=name,
        )  # fmt: skip

    return decorate if function is None else decorate(function)
