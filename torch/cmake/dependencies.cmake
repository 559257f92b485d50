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
if(PkgConfig_FOUND AND NOT xxhash_FOUND)
  pkg_check_modules(xxhash QUIET IMPORTED_TARGET libxxhash)
endif()
if(TARGET PkgConfig::xxhash)
  set(CANE_LM_XXHASH PkgConfig::xxhash)
else()
  message(FATAL_ERROR "cane-lm: libxxhash was not found")
endif()

# A LibTorch that was built for any BLAS takes the one that the system gives it, and the reference
# one is ten times slower than OpenBLAS. Named by the program itself, OpenBLAS comes first.
set(CANE_LM_BLAS "")
if(PkgConfig_FOUND AND NOT openblas_FOUND)
  pkg_check_modules(openblas QUIET IMPORTED_TARGET openblas)
endif()
if(TARGET PkgConfig::openblas)
  set(CANE_LM_BLAS -Wl,--push-state,--no-as-needed PkgConfig::openblas -Wl,--pop-state)
endif()
