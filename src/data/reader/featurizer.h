// Text as features, through a vocabulary that is known: blocks of lines, or strings.
#pragma once

#include <memory>
#include <string_view>

#include "cane/data_options.h"
#include "core/base/string_table.h"
#include "data/blocks/ngram_dictionary.h"
#include "data/blocks/parsed_block.h"
#include "data/table/columns.h"
#include "data/text/block_parser.h"
#include "data/text/text_format.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

/// Const and thread-safe.
class Featurizer {
 public:
  /// The vocabulary must outlive the object.
  explicit Featurizer(const Vocabulary& vocabulary);

  /// Returns the finished rows of a block of lines.
  ParsedBlock featurize(const TextBlock& text, const BlockParser& parser) const;
  /// The same for a text that is one example: line ends count as blanks, and labels are ignored.
  /// kAuto: the format detected in the text, otherwise the one that matches the vocabulary. Throws
  /// Error.
  ParsedBlock featurize(std::string_view text, Format format) const;
  /// The parser that does this, for a line.
  BlockParser parser_of(std::string_view line, Format format) const;

 private:
  const Vocabulary& vocabulary_;
  StringTable labels_;
  StringTable words_;
  NgramDictionary ngrams_;
  std::shared_ptr<const Table> table_;  // for JSON objects; null if no table was learned from
};

}  // namespace cane
