# The operators of cane.torch: compiled where the Python that builds has PyTorch. Sets CANE_HAS_TORCH
# and defines cane_install_torch_operators().
set(CANE_HAS_TORCH OFF)

# Without the operators everything else works: only who asked for them is stopped.
macro(cane_without_torch why)
  if(CANE_TORCH STREQUAL "ON")
    message(FATAL_ERROR "CANE_TORCH=ON: ${why}")
  endif()
  message(STATUS "cane.torch is left out: ${why}")
endmacro()

if(NOT CANE_TORCH)
  return()
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -c "import torch; print(torch.__version__,
  torch.version.cuda or '', torch.utils.cmake_prefix_path, sep=';')"
  OUTPUT_VARIABLE CANE_TORCH_FACTS RESULT_VARIABLE CANE_TORCH_MISSING ERROR_QUIET
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(CANE_TORCH_MISSING)
  cane_without_torch("${Python_EXECUTABLE} has no PyTorch; pip needs --no-build-isolation to see it")
  return()
endif()
list(GET CANE_TORCH_FACTS 0 CANE_TORCH_VERSION)
list(GET CANE_TORCH_FACTS 1 CANE_TORCH_CUDA_VERSION)
list(GET CANE_TORCH_FACTS 2 CANE_TORCH_PREFIX)
if(CANE_TORCH_CUDA_VERSION)
  find_program(CANE_NVCC nvcc HINTS /usr/local/cuda/bin)
  if(NOT CANE_NVCC)
    cane_without_torch("PyTorch ${CANE_TORCH_VERSION} has CUDA, and nvcc ${CANE_TORCH_CUDA_VERSION} was not found")
    return()
  endif()
endif()
list(PREPEND CMAKE_PREFIX_PATH ${CANE_TORCH_PREFIX})
set(CANE_HAS_TORCH ON)

# After cane is there.
function(cane_install_torch_operators)
  if(NOT TARGET cane_torch)
    set(CANE_GROUP_FILES ON)
    find_package(fmt REQUIRED)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
    include(${CANE_SOURCE_FOLDER}/cmake/torch.cmake)
    include(${CANE_SOURCE_FOLDER}/cmake/cuda.cmake)
    if(CANE_HAS_NVCC AND TARGET torch_cuda)
      add_subdirectory(${CANE_SOURCE_FOLDER}/src/kernels kernels)
    endif()
    add_subdirectory(${CANE_SOURCE_FOLDER}/src/layer layer)
  endif()
  set_target_properties(cane_torch PROPERTIES EXCLUDE_FROM_ALL OFF)
  add_custom_target(cane_torch_operators ALL DEPENDS cane_torch)
  # A library of operators works with the version that it was compiled for, and no other.
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/torch_version.txt "${CANE_TORCH_VERSION}\n")
  install(TARGETS cane_torch LIBRARY DESTINATION cane/torch COMPONENT python)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/torch_version.txt DESTINATION cane/torch
    COMPONENT python)
endfunction()
