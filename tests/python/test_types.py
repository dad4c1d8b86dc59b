import numpy as np
import pytest

import penstock.types as types
from penstock import _core


def test_numbers_of_enumerations_are_dalis():
    theirs = pytest.importorskip("nvidia.dali.types")
    for enumeration in ("DALIDataType", "DALIImageType", "DALIInterpType", "PipelineAPIType"):
        for name, member in getattr(theirs, enumeration).__members__.items():
            if name in types.__dict__ or hasattr(getattr(types, enumeration), name):
                assert int(getattr(getattr(types, enumeration), name)) == member.value, name


def test_enumerations_print_as_dalis():
    assert str(types.FLOAT) == "DALIDataType.FLOAT"
    assert types.INTERP_CUBIC == types.DALIInterpType.INTERP_CUBIC == 2


@pytest.mark.parametrize("name", ["uint8", "int64", "float16", "float32", "bool"])
def test_numpy_types_go_both_ways(name):
    assert np.dtype(types.to_numpy_type(types.to_dali_type(name))) == np.dtype(name)
    assert types.to_dali_type(np.dtype(name)) == types.to_dali_type(getattr(np, name if name != "bool" else "bool_"))


def test_names_of_frameworks_are_known(torch, jax):
    assert types.to_dali_type("half") == types.FLOAT16
    assert types.to_dali_type("long") == types.INT64
    assert types.to_dali_type(torch.bfloat16) == types.BFLOAT16
    assert types.to_dali_type(jax.numpy.float32) == types.FLOAT
    with pytest.raises(TypeError, match="complex64"):
        types.to_dali_type(np.complex64)


def test_plain_numbers_are_scalar_constants():
    constant = types.Constant(3)
    assert isinstance(constant, types.ScalarConstant)
    assert constant.dtype == types.INT32
    assert constant.uint8().dtype == types.UINT8
    assert types.Constant(2.5).dtype == types.FLOAT
    assert types.Constant(True).dtype == types.BOOL
    assert int(constant) == 3
    assert constant == 3
    with pytest.raises(TypeError):
        float(constant)


def test_the_engine_and_python_agree_on_types():
    batch = _core.batch_of(np.zeros((1, 2), np.float16))
    assert batch.dtype is types.FLOAT16


def test_a_call_of_an_element_type_is_what_dali_deprecated():
    from penstock.tensors import TensorCPU

    with pytest.warns(DeprecationWarning, match="please use '.dtype' instead"):
        assert TensorCPU(np.zeros(2, np.float32)).dtype() == "=f"
