// The plug-in library of `--device cuda`.
#include <cstdio>
#include <memory>
#include <string>

#include "device/cuda/cuda_backend.cuh"
#include "device/learner_on.h"

namespace cane::device {
namespace {

int count_devices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorNoDevice) return 0;
  check(error, "asking for GPUs");
  return count;
}

DeviceFacts facts_of(int device) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "asking for a GPU");
  check(cudaSetDevice(device), "cudaSetDevice");
  std::size_t free_memory = 0;
  std::size_t memory = 0;
  check(cudaMemGetInfo(&free_memory, &memory), "asking for the memory of a GPU");
  DeviceFacts facts;
  std::snprintf(facts.name, sizeof(facts.name), "%s", properties.name);
  facts.memory = memory;
  facts.free_memory = free_memory;
  facts.major = properties.major;
  facts.minor = properties.minor;
  return facts;
}

std::uint64_t needed_bytes(const LearnerSpec& spec) {
  return bytes_on<CudaBackend>(spec);
}

std::unique_ptr<Learner> make_learner(const LearnerSpec& spec, int device) {
  const std::uint64_t needed = needed_bytes(spec);
  const DeviceFacts facts = facts_of(device);
  if (needed > facts.free_memory) {
    throw std::runtime_error("the training needs " + std::to_string(needed >> 20) +
                             " MiB of GPU memory, and " + std::to_string(facts.free_memory >> 20) +
                             " MiB of " + facts.name +
                             " are free; take a smaller `batch`, or train on the CPU");
  }
  return std::make_unique<LearnerOn<CudaBackend>>(spec, device);
}

constexpr DevicePlugin kPlugin = {kInterfaceVersion, count_devices, facts_of, needed_bytes,
                                  make_learner};

}  // namespace
}  // namespace cane::device

extern "C" __attribute__((visibility("default"))) const void* cane_device_plugin() {
  return &cane::device::kPlugin;
}
