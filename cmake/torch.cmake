# Finds LibTorch. One with CUDA looks for a GPU unless it is told an architecture, forgets the
# architectures that were asked for, and has flags for its own headers, which our kernels do not
# include: cuda.cmake decides for those.
if(NOT DEFINED TORCH_CUDA_ARCH_LIST AND NOT DEFINED ENV{TORCH_CUDA_ARCH_LIST})
  set(TORCH_CUDA_ARCH_LIST 9.0)
endif()
set(CANE_ASKED_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
set(CANE_ASKED_CUDA_FLAGS ${CMAKE_CUDA_FLAGS})
find_package(Torch REQUIRED)
set(CMAKE_CUDA_ARCHITECTURES ${CANE_ASKED_ARCHITECTURES})
set(CMAKE_CUDA_FLAGS ${CANE_ASKED_CUDA_FLAGS})
message(STATUS "cane: LibTorch ${Torch_VERSION}")

# A LibTorch that was built for any BLAS takes the one that the system gives it, and the reference
# one is ten times slower than OpenBLAS. Named by the program itself, OpenBLAS comes first.
add_library(cane_lm_blas INTERFACE)
target_link_libraries(cane_lm_blas INTERFACE
  -Wl,--push-state,--no-as-needed PkgConfig::openblas -Wl,--pop-state)
