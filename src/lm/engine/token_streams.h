// A text as batches on a device. The text is copied there once, as 32-bit numbers, so that a batch
// is two slices and no data is transferred from the host during training.
#pragma once

#include <torch/torch.h>

#include <span>

#include "lm/heads/output_layer.h"
#include "lm/text/stream_layout.h"

namespace cane::lm {

class TokenStreams {
 public:
  TokenStreams(std::span<const WordId> text, WordId first, const StreamLayout& layout,
               std::int64_t length, torch::Device device);

  std::int64_t streams() const { return labels_.size(1); }
  /// The last one may be shorter than the others.
  std::int64_t batches() const { return (labels_.size(0) + length_ - 1) / length_; }
  TokenBatch batch(std::int64_t index) const;
  std::uint64_t words() const { return words_; }

 private:
  std::int64_t length_;
  std::uint64_t words_;
  torch::Tensor inputs_;  // [all steps, streams], int32
  torch::Tensor labels_;
};

}  // namespace cane::lm
