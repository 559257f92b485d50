// A noise law over the classes outside a fixed set, as tables on a device. A class has mass
// proportional to count^power; a power of 0 is the uniform law.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/plain/law.h"

namespace cane::layer {

class NoiseLaw {
 public:
  /// A class with count zero is treated as if it occurred once, since it may still be a label.
  /// Classes with excluded[w] have no mass; if all are excluded the law is empty.
  NoiseLaw(std::span<const std::uint64_t> counts, float power, const std::vector<bool>& excluded,
           torch::Device device);

  /// A view without successors, valid as long as this object.
  kernels::LawView view() const;
  const torch::Tensor& cells() const { return cells_; }
  const torch::Tensor& classes() const { return words_; }
  const torch::Tensor& masses() const { return masses_; }

 private:
  torch::Tensor cells_;
  torch::Tensor words_;
  torch::Tensor masses_;
};

/// A tensor of bytes on the device that holds these values.
template <typename Value>
torch::Tensor to_bytes(std::span<const Value> values, torch::Device device) {
  auto bytes = torch::empty({static_cast<std::int64_t>(values.size_bytes())}, torch::kUInt8);
  if (!values.empty()) std::memcpy(bytes.data_ptr(), values.data(), values.size_bytes());
  return bytes.to(device);
}

}  // namespace cane::layer
