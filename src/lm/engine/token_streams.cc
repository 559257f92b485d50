#include "lm/engine/token_streams.h"

#include <algorithm>
#include <cassert>

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

StreamLayout StreamLayout::whole_streams(std::size_t words, std::size_t streams) {
  StreamLayout layout;
  layout.streams_ = std::min(streams, words);
  layout.length_ = layout.streams_ == 0 ? 0 : words / layout.streams_;
  layout.words_ = layout.length_ * layout.streams_;
  return layout;
}

StreamLayout StreamLayout::every_word(std::size_t words, std::size_t streams) {
  // A stream begins without context, so very short streams are not worthwhile.
  constexpr std::size_t kShortestStream = 200;
  StreamLayout layout;
  layout.streams_ = std::clamp<std::size_t>(words / kShortestStream, 1, streams);
  layout.length_ = (words + layout.streams_ - 1) / layout.streams_;
  layout.words_ = words;
  return layout;
}

void StreamLayout::fill(std::span<const WordId> text, WordId first, std::span<std::int32_t> inputs,
                        std::span<std::int32_t> labels) const {
  assert(inputs.size() == streams_ * length_ && labels.size() == inputs.size());
  for (std::size_t stream = 0; stream < streams_; ++stream) {
    for (std::size_t step = 0; step < length_; ++step) {
      const std::size_t word = stream * length_ + step;
      const std::size_t place = step * streams_ + stream;
      const bool there = word < words_;
      const WordId before = there && word > 0 ? text[word - 1] : first;
      inputs[place] = static_cast<std::int32_t>(before);
      labels[place] = there ? static_cast<std::int32_t>(text[word]) : kNoLabel;
    }
  }
}

}  // namespace cane::lm
