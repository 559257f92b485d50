// The text formats. A line of a format becomes one Example; the table of formats says how a line is
// recognised and parsed. Parsers are pure: what they cannot use they throw as BadLine; blank lines
// never reach them. Names in an Example point into the line.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "core/base/types.h"
#include "data/text/block_reader.h"
#include "data/text/vocabulary.h"

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

  void clear() {
    labels.clear();
    weight = 1.0F;
    indices.clear();
    values.clear();
    words.clear();
    is_blank = false;
  }
};

/// What the first line of a text announces. Without such a line, everything is allowed.
struct TextHeader {
  static constexpr std::uint64_t kMaxFeatures = std::uint64_t{1} << 31;

  bool is_given = false;
  std::uint64_t rows = 0;
  std::uint64_t features = kMaxFeatures;  // indices are below
  std::uint64_t labels = std::numeric_limits<std::uint64_t>::max();
};

struct TextFormat {
  Format format;
  /// Features are words; else indices.
  bool has_words;
  /// What lies between blanks is text, which a tokenizer may cut further; else it is a name.
  bool is_text;
  /// Whether a line shows this format. `is_first`: only blank lines came before it.
  bool (*recognise)(std::string_view line, bool is_first);
  /// Null: the format has no header.
  TextHeader (*parse_header)(std::string_view line);
  void (*parse)(std::string_view line, const TextHeader& header, Example& example);
};

/// All text formats, in the order in which they are tried on a line.
std::span<const TextFormat> text_formats();
/// Returns the row of a text format; throws Error for other formats.
const TextFormat& text_format(Format format);
/// Returns the first format that recognises the line; null if it is ambiguous, such as a line with
/// only a label.
const TextFormat* recognise_line(std::string_view line, bool is_first);
/// The default format, given a vocabulary, of lines that show none: words, or index:value.
const TextFormat& fallback_format(const Vocabulary& known);

/// The format of a text, and the text read to detect it.
struct FormatChoice {
  const TextFormat* format = nullptr;
  TextHeader header;
  /// To be parsed first; a header in it is blanked out.
  std::deque<TextBlock> blocks;
};

struct FormatSearch {
  Format wanted = Format::kAuto;
  /// Number of lines to examine, not counting blank ones.
  std::uint64_t max_lines = 16;
  /// The vocabulary through which the text is read; may be null.
  const Vocabulary* known = nullptr;
};

/// Throws Error if the text is empty or its format is ambiguous; `name` is used in messages.
FormatChoice choose_format(const std::string& name, const FormatSearch& search,
                           BlockReader& reader);

/// Reads `index:value` pairs, separated by blanks, up to `end`. Indices must increase and lie below
/// `limit`. For the index formats.
void parse_index_features(const char* cursor, const char* end, std::uint64_t limit,
                          Example& example);

/// Prefix of fastText labels.
inline constexpr std::string_view kFastTextLabel = "__label__";

}  // namespace cane
