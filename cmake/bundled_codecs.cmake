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
            -DPENSTOCK_CODEC_SOURCES=${PENSTOCK_CODEC_SOURCES} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${PENSTOCK_CODECS}/build COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE ${PENSTOCK_CODECS}/built ${wanted})
endif()
list(PREPEND CMAKE_PREFIX_PATH ${PENSTOCK_CODECS})
