# penstock::torch: what programs that include <penstock/torch.h> link, where LibTorch is found. It is found by its files:
# find_package(Torch) of a wheel made for GPUs asks for a CUDA toolkit, which such programs need not have.
set(TORCH_ROOT "" CACHE PATH "LibTorch: an unpacked archive, or the folder of Python's package")
find_path(TORCH_INCLUDE torch/csrc/api/include/torch/nn/module.h PATHS ${TORCH_ROOT}/include)
set(PENSTOCK_TORCH_LIBRARIES "")
foreach(part torch torch_cpu c10)
  find_library(TORCH_LIBRARY_${part} ${part} PATHS ${TORCH_ROOT}/lib)
  list(APPEND PENSTOCK_TORCH_LIBRARIES ${TORCH_LIBRARY_${part}})
endforeach()
if(TORCH_INCLUDE AND NOT PENSTOCK_TORCH_LIBRARIES MATCHES NOTFOUND AND NOT TARGET penstock::torch)
  add_library(penstock::torch INTERFACE IMPORTED)
  target_include_directories(penstock::torch SYSTEM INTERFACE ${TORCH_INCLUDE}
                                                              ${TORCH_INCLUDE}/torch/csrc/api/include)
  # Programs name no function of the library torch, which brings the GPUs' half where there is one.
  target_link_options(penstock::torch INTERFACE -Wl,--no-as-needed)
  target_link_libraries(penstock::torch INTERFACE penstock::penstock ${PENSTOCK_TORCH_LIBRARIES})
endif()
