#include "lm/engine/tensor_file.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "cane/error.h"

namespace cane::lm {
namespace {

TensorType type_of(const torch::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case torch::kFloat32:
      return TensorType::kFloat32;
    case torch::kFloat64:
      return TensorType::kFloat64;
    case torch::kInt64:
      return TensorType::kUint64;
    case torch::kUInt8:
      return TensorType::kUint8;
    default:
      throw std::logic_error("a tensor of a type that is not kept in files");
  }
}

std::vector<std::uint64_t> shape_of(const torch::Tensor& tensor) {
  return {tensor.sizes().begin(), tensor.sizes().end()};
}

}  // namespace

void TensorsToWrite::add(const std::string& name, const torch::Tensor& tensor) {
  entries_.push_back({name, tensor.detach().to(torch::kCPU).contiguous()});
}

std::vector<TensorToWrite> TensorsToWrite::all() const {
  std::vector<TensorToWrite> tensors = others_;
  for (const Entry& entry : entries_) {
    const auto* bytes = static_cast<const std::byte*>(entry.tensor.data_ptr());
    tensors.push_back({entry.name,
                       type_of(entry.tensor),
                       shape_of(entry.tensor),
                       {bytes, entry.tensor.nbytes()}});
  }
  return tensors;
}

void copy_from(const SafetensorsFile& file, const std::string& name, torch::Tensor tensor) {
  const auto found = file.tensors().find(name);
  if (found == file.tensors().end() || found->second.type != type_of(tensor) ||
      found->second.shape != shape_of(tensor)) {
    throw Error(fmt::format(
        "{}: tensor '{}' is missing or has another shape than its options say; train again",
        file.path(), name));
  }
  const torch::NoGradGuard no_gradient;
  const torch::Tensor values = torch::empty(tensor.sizes(), tensor.scalar_type());
  if (tensor.numel() > 0) {
    std::memcpy(values.data_ptr(), found->second.bytes.data(), found->second.bytes.size());
  }
  tensor.copy_(values);
}

}  // namespace cane::lm
