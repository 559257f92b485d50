# Installs library, headers and program so that find_package(cane CONFIG) gives cane::cane.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CANE_CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/cane)
get_target_property(CANE_LIBRARY_TYPE cane TYPE)
set_target_properties(cane PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

install(TARGETS cane EXPORT caneTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cane DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT caneTargets NAMESPACE cane:: DESTINATION ${CANE_CONFIG_FOLDER})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/caneConfig.cmake.in
  ${PROJECT_BINARY_DIR}/caneConfig.cmake INSTALL_DESTINATION ${CANE_CONFIG_FOLDER})
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/caneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/caneConfig.cmake ${PROJECT_BINARY_DIR}/caneConfigVersion.cmake
  DESTINATION ${CANE_CONFIG_FOLDER})

if(TARGET cane_cli)
  if(CANE_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY" AND NOT CMAKE_INSTALL_RPATH)
    file(RELATIVE_PATH CANE_LIBRARY_FROM_PROGRAM
      ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(cane_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${CANE_LIBRARY_FROM_PROGRAM}")
  endif()
  install(TARGETS cane_cli)
endif()
if(TARGET cane_lm_cli)
  install(TARGETS cane_lm_cli)
endif()
