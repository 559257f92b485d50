# Installs library, headers and program so that find_package(cane CONFIG) gives cane::cane. Components
# part them: `cmake --install build/release --component library` is for what links the library.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CANE_CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/cane)
get_target_property(CANE_LIBRARY_TYPE cane TYPE)
set_target_properties(cane PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

install(TARGETS cane EXPORT caneTargets COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cane DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT library)
install(EXPORT caneTargets NAMESPACE cane:: DESTINATION ${CANE_CONFIG_FOLDER} COMPONENT library)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/caneConfig.cmake.in
  ${PROJECT_BINARY_DIR}/caneConfig.cmake INSTALL_DESTINATION ${CANE_CONFIG_FOLDER})
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/caneConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/caneConfig.cmake ${PROJECT_BINARY_DIR}/caneConfigVersion.cmake
  DESTINATION ${CANE_CONFIG_FOLDER} COMPONENT library)

# Manual pages and the completion of shells, which the program makes when it is installed.
function(cane_install_pages target name component)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/pages/${name})
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" -DPROGRAM=$<TARGET_FILE:${target}>
    -DNAME=${name} -DFOLDER=${folder} -DPREFIX=\${CMAKE_INSTALL_PREFIX}
    -P \"${PROJECT_SOURCE_DIR}/cmake/pages.cmake\" COMMAND_ERROR_IS_FATAL ANY)" COMPONENT ${component})
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR} COMPONENT ${component})
endfunction()

if(TARGET cane_cli)
  if(CANE_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY" AND NOT CMAKE_INSTALL_RPATH)
    file(RELATIVE_PATH CANE_LIBRARY_FROM_PROGRAM
      ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(cane_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${CANE_LIBRARY_FROM_PROGRAM}")
  endif()
  install(TARGETS cane_cli COMPONENT program)
  cane_install_pages(cane_cli cane program)
endif()
if(TARGET cane_lm_cli)
  install(TARGETS cane_lm_cli COMPONENT language-model)
  cane_install_pages(cane_lm_cli cane-lm language-model)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright
  COMPONENT program)

# A Debian package of the program alone, which links the library into itself: `make deb`. cane-lm is
# left out: LibTorch is no package of the distribution.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cane)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_CONTACT "The cane authors <cane@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cane)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
