"""Batches of an external source are all of one type, rank and layout, as in DALI."""

from .._enumerations import NUMPY_NAMES, DALIDataType

_NAMES = {**NUMPY_NAMES, DALIDataType.FLOAT: "float", DALIDataType.FLOAT64: "double"}


def refuse_change(before, now):
    """`RuntimeError` in DALI's words where `now` is not what the batch `before` was: (type, rank, layout) each.

    `before` is None for the first batch.
    """
    if before is None or before == now:
        return
    (dtype, ndim, layout), (next_dtype, next_ndim, next_layout) = before, now
    if dtype != next_dtype:
        raise RuntimeError(
            "Type of the data fed to the external source has changed from the previous iteration. Type in the previous "
            f"iteration was {_NAMES[dtype]} and the current type is {_NAMES[next_dtype]}."
        )
    if ndim != next_ndim:
        raise RuntimeError(
            "Number of dimensions of the data fed to the external source has changed from previous iteration. "
            f"Dimensionality in the previous iteration was {ndim} and the current is {next_ndim}."
        )
    raise RuntimeError(
        "Layout of the data fed to the external source has changed from previous iteration. Layout in the previous "
        f'iteration was "{layout}" and the current is "{next_layout}".'
    )
