// Parses blocks of lines, independently of each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cane/data_options.h"
#include "data/blocks/parsed_block.h"
#include "data/text/block_reader.h"
#include "data/text/text_format.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

/// How lines are read. Const and thread-safe.
struct BlockParser {
  const TextFormat* format = nullptr;
  TextHeader header;
  FeatureKind feature_kind = FeatureKind::kIndices;
  std::uint32_t hash_bits = 0;
  Ngrams ngrams;
  TokenizerKind tokenizer = TokenizerKind::kSpaces;
  bool takes_negative = true;  // values below zero are allowed
  MultiLabel multi_label = MultiLabel::kError;
  OnError on_error = OnError::kStop;
  bool require_labels = true;
  bool every_row = false;  // blank and bad lines are examples, too
  std::size_t line_bytes = BlockLimits{}.line_bytes;

  /// Whether a row of which nothing is stored is a gap. Zeros of a table of numbers are not stored.
  bool marks_empty() const {
    return every_row && (header.table == nullptr || feature_kind != FeatureKind::kIndices);
  }

  /// With OnError::kStop it ends after the first bad line.
  ParsedBlock parse(const TextBlock& block) const;
};

/// Settings that produce features of this kind. `options` determine the handling of bad lines and
/// multiple labels.
BlockParser parser_for(const TextFormat& format, const TextHeader& header,
                       const Vocabulary& vocabulary, const DataOptions& options);

}  // namespace cane
