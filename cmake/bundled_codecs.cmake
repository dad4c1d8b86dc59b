# Builds the libraries of cmake/codecs, once, before they are looked for: they are found before the system's.
set(PENSTOCK_CODECS ${PROJECT_BINARY_DIR}/codecs)
set(PENSTOCK_CODEC_SOURCES "" CACHE PATH "A folder with the sources of the bundled codecs; else they are downloaded")
file(SHA256 ${PROJECT_SOURCE_DIR}/cmake/codecs/CMakeLists.txt wanted)
set(built "")
if(EXISTS ${PENSTOCK_CODECS}/built)
  file(READ ${PENSTOCK_CODECS}/built built)
endif()
if(NOT built STREQUAL wanted)
  message(STATUS "Building the picture libraries in ${PENSTOCK_CODECS}")
  file(REMOVE_RECURSE ${PENSTOCK_CODECS})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/cmake/codecs -B ${PENSTOCK_CODECS}/build -G ${CMAKE_GENERATOR}
            -DCMAKE_MAKE_PROGRAM=${CMAKE_MAKE_PROGRAM} -DCMAKE_INSTALL_PREFIX=${PENSTOCK_CODECS}
            -DCMAKE_TOOLCHAIN_FILE=${CMAKE_TOOLCHAIN_FILE} -DPENSTOCK_CODEC_SOURCES=${PENSTOCK_CODEC_SOURCES}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${PENSTOCK_CODECS}/build COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${PENSTOCK_CODECS}/built ${wanted})
endif()
list(PREPEND CMAKE_PREFIX_PATH ${PENSTOCK_CODECS})
if(CMAKE_CROSSCOMPILING)
  list(APPEND CMAKE_FIND_ROOT_PATH ${PENSTOCK_CODECS})  # a toolchain looks nowhere else
  # Where these libraries lie is no path within the sysroot, which pkg-config would put before it.
  set(sysroot $ENV{PKG_CONFIG_SYSROOT_DIR})
  set(ENV{PKG_CONFIG_SYSROOT_DIR} "")
  pkg_check_modules(WEBP REQUIRED IMPORTED_TARGET libwebp libwebpdemux)
  set(ENV{PKG_CONFIG_SYSROOT_DIR} ${sysroot})
endif()
