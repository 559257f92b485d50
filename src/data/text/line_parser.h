// One line of a text format becomes one Example. Parsers are pure: what they cannot use they throw
// as BadLine; blank lines never reach them. Names point into the line.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace cane {

/// The word "name_space^name", or just the name where there is no name space.
struct WordFeature {
  std::string_view name_space;
  std::string_view name;
  float value = 1.0F;
};

struct Example {
  std::vector<std::string_view> labels;
  float weight = 1.0F;
  /// Index formats: strictly increasing indices and their values.
  std::vector<FeatureId> indices;
  std::vector<float> values;
  /// Word formats: in the order of the line, repetitions included.
  std::vector<WordFeature> words;
  /// The line holds no example (a comment).
  bool is_blank = false;

  void clear();
};

using LineParser = std::function<void(std::string_view line, Example& example)>;

/// svmlight / libsvm: `label [qid:n] index:value ... [# comment]`.
void parse_svm_line(std::string_view line, Example& example);

/// Vowpal Wabbit: `label [importance] ['tag] |name_space:scale feature:value ... |...`.
void parse_vw_line(std::string_view line, Example& example);

/// fastText: words, those that start with `__label__` are labels.
void parse_fasttext_line(std::string_view line, Example& example);
inline constexpr std::string_view kFastTextLabel = "__label__";

/// The first line of the extreme-classification repository's format.
struct XmcHeader {
  std::uint64_t rows = 0;
  std::uint64_t features = 0;
  std::uint64_t labels = 0;
};
XmcHeader parse_xmc_header(std::string_view line);
/// Its other lines: `label,label index:value ...`.
void parse_xmc_line(const XmcHeader& header, std::string_view line, Example& example);

/// Reads `index:value` pairs, separated by blanks, up to `end`. Indices must increase and lie below
/// `limit`.
void parse_index_features(const char* cursor, const char* end, std::uint64_t limit,
                          Example& example);

}  // namespace cane
