# Compiles for aarch64 on a machine of another kind, with Debian's g++-aarch64-linux-gnu. What it links lies where
# ci/cross.sh puts it: libraries in build/sysroot-aarch64, the CUDA toolkit in build/cuda-aarch64.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
cmake_path(SET build NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build)
set(CMAKE_SYSROOT ${build}/sysroot-aarch64)
list(APPEND CMAKE_FIND_ROOT_PATH ${build}/cuda-aarch64)
if(EXISTS ${build}/cuda-aarch64/bin/nvcc)
  set(CMAKE_CUDA_COMPILER ${build}/cuda-aarch64/bin/nvcc)
  set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
else()
  set(CMAKE_CUDA_COMPILER "")  # another toolkit's libraries do not link
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CMAKE_SYSROOT})  # ctest runs tests with it
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)  # nanobind's lies in Python's environment
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
