# The kernels of the language model: cane_lm_kernels for the CPU, and for the GPU cane_lm_cuda.

# LibTorch's parallel_for is a template that runs on one thread unless it is compiled with OpenMP.
find_package(OpenMP REQUIRED)
file(GLOB CANE_LM_KERNEL_SOURCES CONFIGURE_DEPENDS sampled/cpu/*.cc update/cpu/*.cc)
add_library(cane_lm_kernels OBJECT ${CANE_LM_KERNEL_SOURCES})
# Without errno a root is an instruction, and a loop with one is vectors.
target_compile_options(cane_lm_kernels PRIVATE -O3 -fno-math-errno)
target_link_libraries(cane_lm_kernels PUBLIC cane_lm_flags PRIVATE OpenMP::OpenMP_CXX)

# The kernels of the GPU are compiled wherever their compiler is. Where LibTorch has CUDA they are part
# of the library, for all architectures from Turing on; elsewhere this shows that they compile.
find_program(CANE_LM_NVCC nvcc HINTS /usr/local/cuda/bin)
if(NOT CANE_LM_NVCC AND NOT TARGET torch_cuda)
  message(STATUS "cane-lm: nvcc was not found; kernels of the GPU are not compiled")
  return()
endif()
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${CANE_LM_NVCC})
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  # The last one also as PTX, which the driver compiles for what came later.
  if(TARGET torch_cuda)
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
endif()
enable_language(CUDA)
file(GLOB CANE_LM_CUDA_SOURCES CONFIGURE_DEPENDS sampled/cuda/*.cu update/cuda/*.cu body/cuda/*.cu)
add_library(cane_lm_cuda STATIC ${CANE_LM_CUDA_SOURCES})
# The standard as a flag, and the last one: CMake 3.25 does not know which ones nvcc 13 has, and names
# an older one.
set_source_files_properties(${CANE_LM_CUDA_SOURCES} PROPERTIES COMPILE_OPTIONS -std=c++20)
set_property(TARGET cane_lm_cuda PROPERTY CUDA_STANDARD)
set_property(TARGET cane_lm_cuda PROPERTY CXX_STANDARD)
set_property(TARGET cane_lm_cuda PROPERTY POSITION_INDEPENDENT_CODE ON)
target_compile_options(cane_lm_cuda PRIVATE --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra)
target_include_directories(cane_lm_cuda PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
if(TARGET torch_cuda)
  # Public, so that tests know that a GPU may be there.
  target_compile_definitions(cane_lm_flags INTERFACE CANE_LM_CUDA)
  set(CANE_LM_CUDA cane_lm_cuda)
  target_link_libraries(cane_lm_kernels PUBLIC cane_lm_cuda)
endif()
