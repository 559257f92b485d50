#include "lm/engine/token_streams.h"

#include <algorithm>

namespace cane::lm {

TokenStreams::TokenStreams(std::span<const WordId> text, WordId first, const StreamLayout& layout,
                           std::int64_t length, torch::Device device)
    : length_(length), words_(layout.words()) {
  const auto make = [&] {
    return torch::empty(
        {static_cast<std::int64_t>(layout.length()), static_cast<std::int64_t>(layout.streams())},
        torch::kInt32);
  };
  const auto span_of = [](const torch::Tensor& tensor) {
    return std::span(tensor.data_ptr<std::int32_t>(), static_cast<std::size_t>(tensor.numel()));
  };
  const torch::Tensor inputs = make();
  const torch::Tensor labels = make();
  layout.fill(text, first, span_of(inputs), span_of(labels));
  inputs_ = inputs.to(device);
  labels_ = labels.to(device);
}

TokenBatch TokenStreams::batch(std::int64_t index) const {
  const std::int64_t begin = index * length_;
  const std::int64_t end = std::min(begin + length_, labels_.size(0));
  return {inputs_.slice(0, begin, end).to(torch::kInt64),
          labels_.slice(0, begin, end).to(torch::kInt64)};
}

}  // namespace cane::lm
