# Finds LibTorch.
find_package(Torch REQUIRED)
message(STATUS "cane-lm: LibTorch ${Torch_VERSION}")

# A LibTorch that was built for any BLAS takes the one that the system gives it, and the reference
# one is ten times slower than OpenBLAS. Named by the program itself, OpenBLAS comes first.
add_library(cane_lm_blas INTERFACE)
target_link_libraries(cane_lm_blas INTERFACE
  -Wl,--push-state,--no-as-needed PkgConfig::openblas -Wl,--pop-state)
