# One object library a folder of src/, each seeing only the layers below it: an upward call does not link.
add_library(penstock_flags INTERFACE)
set(PENSTOCK_WARNINGS -Wall -Wextra -Wno-missing-field-initializers)  # designated initialisers leave fields out on purpose
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND PENSTOCK_WARNINGS -Werror)
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND PENSTOCK_WARNINGS -Werror -Wno-restrict)  # false alarms on std::string (GCC bug 105651)
endif()  # What later ones warn of beyond CI's must not break the build: 13 sees the bounds of an array passed in fmt.
# Nothing may stand in for the library's own functions: calls of them go straight there, not through a table (MNIST +4 %).
target_compile_options(penstock_flags INTERFACE ${PENSTOCK_WARNINGS} -fvisibility-inlines-hidden -fno-semantic-interposition)
target_include_directories(penstock_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  # Every such processor joins a product and a sum, no x86-64 that sources are compiled for does: the same roundings.
  target_compile_options(penstock_flags INTERFACE -ffp-contract=off)
endif()
if(PENSTOCK_SANITIZE)
  target_compile_options(penstock_flags INTERFACE -fsanitize=${PENSTOCK_SANITIZE} -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
  target_link_options(penstock_flags INTERFACE -fsanitize=${PENSTOCK_SANITIZE})
endif()
if(PENSTOCK_FUZZ)
  target_compile_options(penstock_flags INTERFACE -fsanitize=fuzzer-no-link)  # without it libFuzzer sees no branches
endif()

# A sanitized build reads common headers once a target, which takes a third off each compilation (clang 14). The usual
# build does without and sees to it that each source includes what it uses.
function(penstock_precompile target)
  if(PENSTOCK_SANITIZE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <charconv> <chrono> <cmath>
      <condition_variable> <deque> <filesystem> <fstream> <functional> <future> <map> <memory> <mutex> <numeric> <optional>
      <random> <set> <span> <string> <thread> <unordered_map> <variant> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()

# A source that Highway compiles once for each instruction set becomes one large function for each. Checks for overflowing
# pointers in it take clang 14 most of its time: five minutes for debayer/vng.cc, 28 s without them.
function(penstock_lighten_checks)
  foreach(source ${ARGN})
    file(STRINGS ${source} vectors REGEX "^#include <hwy/foreach_target.h>")
    if(vectors AND PENSTOCK_SANITIZE MATCHES undefined)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=pointer-overflow)
    endif()
  endforeach()
endfunction()

# The object libraries of a layer and of those below it.
function(penstock_layers_up_to layer output)
  list(FIND PENSTOCK_LAYERS ${layer} place)
  math(EXPR count "${place} + 1")
  list(SUBLIST PENSTOCK_LAYER_TARGETS 0 ${count} targets)
  set(${output} ${targets} PARENT_SCOPE)
endfunction()

# Writes the table of register_<stem>(Registry&) functions from the folders, so that no list is kept by hand and no static
# initialiser can be stripped by the linker.
function(penstock_write_registry output)
  file(GLOB_RECURSE stems CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/*.cc ${PROJECT_SOURCE_DIR}/src/readers/*.cc)
  set(declarations "")
  set(rows "")
  foreach(file ${stems})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/src ${file})
    string(REGEX REPLACE "^(ops/)?([a-z0-9_]+)/.*" "\\2" group ${path})
    file(STRINGS ${file} definitions REGEX "^(\\[\\[gnu::cold\\]\\] )?void register_[a-z0-9_]+\\(Registry& ")
    foreach(line ${definitions})
      string(REGEX MATCH "register_[a-z0-9_]+" name "${line}")
      string(APPEND declarations "void ${name}(Registry&);\n")
      string(APPEND rows "    {\"${group}\", ${name}},\n")
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  string(CONCAT text
           "// Written by cmake/layers.cmake from the folders src/ops and src/readers.\n#include \"pipeline/registrations.h\"\n\n"
           "namespace penstock {\n\n${declarations}\nstd::span<const Registration> registrations() {\n"
           "  static constexpr Registration all[] = {\n${rows}  };\n  return all;\n}\n\n}  // namespace penstock\n")
  file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY)
endfunction()

# Writes the table of picture formats: each folder of src/codec whose header of the same name declares a kEntry.
function(penstock_write_formats output)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/codec/*/*.h)
  set(includes "")
  set(rows "")
  foreach(header ${headers})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/src ${header})
    string(REGEX MATCH "^codec/([a-z0-9_]+)/([a-z0-9_]+)\\.h$" found ${path})
    if("${CMAKE_MATCH_1}" STREQUAL "${CMAKE_MATCH_2}")
      string(APPEND includes "#include \"${path}\"\n")
      string(APPEND rows "      &${CMAKE_MATCH_1}::kEntry,\n")
    endif()
  endforeach()
  string(CONCAT text
           "// Written by cmake/layers.cmake from the folders of src/codec.\n#include \"codec/engine.h\"\n${includes}\n"
           "namespace penstock::codec {\n\nstd::span<const FormatEntry* const> formats() {\n"
           "  static constexpr const FormatEntry* all[] = {\n${rows}  };\n  return all;\n}\n\n"
           "}  // namespace penstock::codec\n")
  file(CONFIGURE OUTPUT ${output} CONTENT "${text}" @ONLY)
endfunction()

# No code reads floating-point exceptions or errno after a kernel. Without these GCC vectorises neither a loop that clamps
# floats nor one that takes roots; results stay the same. A product and the sum behind it are rounded each for itself
# where MulAdd() does not say otherwise: otherwise GCC joins them, but only for processors that can.
set(PENSTOCK_FLAGS_kernels -fno-trapping-math -fno-math-errno -ffp-contract=off)
# Operators draw random numbers with the roundings of a GPU.
set(PENSTOCK_FLAGS_ops -ffp-contract=off)

set(PENSTOCK_LAYER_TARGETS "")
macro(penstock_add_layer layer)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.cc)
  if("${layer}" STREQUAL "pipeline")
    penstock_write_registry(${PROJECT_BINARY_DIR}/register_all.cc)
    list(APPEND sources ${PROJECT_BINARY_DIR}/register_all.cc)
  endif()
  if("${layer}" STREQUAL "codec")
    penstock_write_formats(${PROJECT_BINARY_DIR}/codec_formats.cc)
    list(APPEND sources ${PROJECT_BINARY_DIR}/codec_formats.cc)
  endif()
  add_library(penstock_${layer} OBJECT ${sources})
  target_link_libraries(penstock_${layer} PUBLIC penstock_flags ${PENSTOCK_USES_${layer}})
  target_compile_options(penstock_${layer} PRIVATE ${PENSTOCK_FLAGS_${layer}})
  penstock_precompile(penstock_${layer})
  penstock_lighten_checks(${sources})
  foreach(below ${PENSTOCK_LAYER_TARGETS})
    target_link_libraries(penstock_${layer} PUBLIC ${below})
  endforeach()
  list(APPEND PENSTOCK_LAYER_TARGETS penstock_${layer})
endmacro()
