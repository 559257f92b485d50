# Finds LibTorch and the small libraries. As a part of cane most of them are known already.
find_package(fmt REQUIRED)
find_package(Torch REQUIRED)
set(CANE_LM_TORCH ${TORCH_LIBRARIES})
message(STATUS "cane-lm: LibTorch ${Torch_VERSION}")

find_package(LibLZMA QUIET)
if(NOT LibLZMA_FOUND)
  message(STATUS "cane-lm: liblzma was not found; xz files will not be read")
endif()

# Checksums. Where the library is missing, a header of ours stands in.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND AND NOT TARGET PkgConfig::xxhash)
  pkg_check_modules(xxhash QUIET IMPORTED_TARGET libxxhash)
endif()
add_library(cane_lm_xxhash INTERFACE)
if(TARGET PkgConfig::xxhash)
  target_link_libraries(cane_lm_xxhash INTERFACE PkgConfig::xxhash)
else()
  message(STATUS "cane-lm: libxxhash was not found; torch/portable/xxhash.h stands in")
  target_include_directories(cane_lm_xxhash INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/portable)
endif()

# A LibTorch that was built for any BLAS takes the one that the system gives it, and the reference
# one is ten times slower than OpenBLAS. Named by the program itself, OpenBLAS comes first.
add_library(cane_lm_blas INTERFACE)
if(PkgConfig_FOUND AND NOT TARGET PkgConfig::openblas)
  pkg_check_modules(openblas QUIET IMPORTED_TARGET openblas)
endif()
if(TARGET PkgConfig::openblas)
  target_link_libraries(cane_lm_blas INTERFACE
    -Wl,--push-state,--no-as-needed PkgConfig::openblas -Wl,--pop-state)
endif()
