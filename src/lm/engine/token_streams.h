// A text as batches on a device. The text is copied there once, as 32-bit numbers, so that a batch
// is two slices and no data is transferred from the host during training.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "lm/heads/output_layer.h"
#include "lm/text/word_vocabulary.h"

namespace cane::lm {

/// The division of a text into parallel streams of continuous text. The text is what is to be
/// predicted; the word before its first one is the end of a line. Stream b reads length() words
/// starting at begin(b); the streams of a test text may end with places that hold no word.
class StreamLayout {
 public:
  /// Equal streams, for training. Fewer words than there are streams are dropped at the end.
  static StreamLayout whole_streams(std::size_t words, std::size_t streams);
  /// Puts every word in exactly one stream, for tests. There are at most `streams` streams, fewer
  /// for a short text.
  static StreamLayout every_word(std::size_t words, std::size_t streams);

  std::size_t streams() const { return streams_; }
  std::size_t length() const { return length_; }
  std::size_t words() const { return words_; }

  /// Fills row-major [length, streams]. A place without a word gets the label kNoLabel and the
  /// input `first`.
  static constexpr std::int32_t kNoLabel = -1;
  void fill(std::span<const WordId> text, WordId first, std::span<std::int32_t> inputs,
            std::span<std::int32_t> labels) const;

 private:
  std::size_t streams_ = 0;
  std::size_t length_ = 0;
  std::size_t words_ = 0;  // words that have a place
};

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
