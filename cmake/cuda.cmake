# Finds the compiler of the GPU and defines cane_cuda_library(NAME SOURCE...), a static library of
# kernels. CANE_HAS_NVCC says whether there is one; nothing of cane needs it.
find_program(CANE_NVCC nvcc HINTS /usr/local/cuda/bin)
if(NOT CMAKE_CUDA_COMPILER AND CANE_NVCC)
  set(CMAKE_CUDA_COMPILER ${CANE_NVCC})
endif()
if(NOT CMAKE_CUDA_COMPILER)
  set(CANE_HAS_NVCC OFF)
  message(STATUS "cane: nvcc was not found; kernels of the GPU are not compiled")
  return()
endif()
set(CANE_HAS_NVCC ON)
if(NOT CMAKE_CUDA_ARCHITECTURES)
  # All from Turing on for what is installed; where it is only shown that kernels compile, one. The
  # last one also as PTX, which the driver compiles for what came later.
  if(TARGET torch_cuda OR CANE_BUILD_CUDA)
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90)
  else()
    set(CMAKE_CUDA_ARCHITECTURES 90)
  endif()
endif()
enable_language(CUDA)

function(cane_cuda_library name)
  add_library(${name} STATIC ${ARGN})
  # The standard as a flag, and the last one: CMake 3.25 does not know which ones nvcc 13 has, and
  # names an older one.
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -std=c++20)
  set_property(TARGET ${name} PROPERTY CUDA_STANDARD)
  set_property(TARGET ${name} PROPERTY CXX_STANDARD)
  set_property(TARGET ${name} PROPERTY POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../src
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../include)
endfunction()
