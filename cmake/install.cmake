# find_package(penstock) for C++ programs.
include(CMakePackageConfigHelpers)
install(TARGETS penstock EXPORT penstockTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILE_SET operators DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILE_SET torch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT penstockTargets NAMESPACE penstock:: FILE penstockTargets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)
file(WRITE ${PROJECT_BINARY_DIR}/penstockConfig.cmake
     "include(\"\${CMAKE_CURRENT_LIST_DIR}/penstockTargets.cmake\")\n"
     "include(\"\${CMAKE_CURRENT_LIST_DIR}/penstockTorch.cmake\")\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/penstockConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/penstockConfig.cmake ${PROJECT_BINARY_DIR}/penstockConfigVersion.cmake
        cmake/penstockTorch.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)

# pkg-config for builds without CMake; relative to where it lies, as the installed folder may be moved.
file(RELATIVE_PATH PENSTOCK_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PENSTOCK_UP ${PENSTOCK_UP})
file(WRITE ${PROJECT_BINARY_DIR}/penstock.pc
     "prefix=\${pcfiledir}/${PENSTOCK_UP}\nlibdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}\n\n"
     "Name: Penstock\nDescription: Feeds training data to GPUs\nVersion: ${PROJECT_VERSION}\n"
     "Cflags: -std=c++20 -I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}\nLibs: -L\${libdir} -lpenstock\n")
install(FILES ${PROJECT_BINARY_DIR}/penstock.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
