// The text formats. A line of a format becomes one Example (in tables with quoted fields a record,
// which may be several lines); the table of formats says how a line is recognised and parsed.
// Parsers are pure: what they cannot use they throw as BadLine; blank lines never reach them. Names
// in an Example point into the line, or into its storage.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "core/base/types.h"
#include "data/text/block_reader.h"
#include "data/text/table_columns.h"
#include "data/text/vocabulary.h"

namespace cane {

/// The word "name_space^name", or just the name where there is no name space.
struct WordFeature {
  std::string_view name_space;
  std::string_view name;
  float value = 1.0F;
};

/// A column of a table that is a feature: of numbers with its value, or of strings with its text.
struct ColumnFeature {
  const ColumnUse* column = nullptr;
  std::string_view text;
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
  /// Tables: columns that are features, missing values and zeros left out.
  std::vector<ColumnFeature> columns;
  /// The line holds no example (a comment).
  bool is_blank = false;
  std::string storage;
  std::vector<std::string_view> fields;  // scratch of a parser

  void clear() {
    labels.clear();
    weight = 1.0F;
    indices.clear();
    values.clear();
    words.clear();
    columns.clear();
    is_blank = false;
  }
};

/// What the first line of a text announces, or its first rows show. Without such a line, everything
/// is allowed.
struct TextHeader {
  static constexpr std::uint64_t kMaxFeatures = std::uint64_t{1} << 31;

  bool is_given = false;
  std::uint64_t rows = 0;
  std::uint64_t features = kMaxFeatures;  // indices are below
  std::uint64_t labels = std::numeric_limits<std::uint64_t>::max();
  std::shared_ptr<const Table> table = {};  // null: the format is no table
};

struct FormatSearch {
  Format wanted = Format::kAuto;
  /// Number of lines to examine, not counting blank ones.
  std::uint64_t max_lines = 16;
  /// The vocabulary through which the text is read; may be null.
  const Vocabulary* known = nullptr;
  /// For the columns of a table.
  DataOptions options = {};
};

/// The beginning of a table.
struct TableStart {
  std::deque<TextBlock>& blocks;
  const FormatSearch& search;
  char separator;  // '\0': lines, no separated fields
};

struct TextFormat {
  Format format;
  /// Features are words; else indices. In tables that depends on the columns.
  bool has_words;
  /// What lies between blanks is text, which a tokenizer may cut further; else it is a name.
  bool is_text;
  /// Whether a line shows this format. `is_first`: only blank lines came before it.
  bool (*recognise)(std::string_view line, bool is_first);
  /// Null: the format has no header.
  TextHeader (*parse_header)(std::string_view line);
  void (*parse)(std::string_view line, const TextHeader& header, Example& example);
  /// Tables: what the first rows show of the columns; null: no table. Blanks out a row of names.
  TableSample (*sample)(TableStart& start);
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

  bool has_words() const { return header.table ? header.table->has_words : format->has_words; }
};

/// The format that the name of a file tells, its compression's ending not counted; else kAuto.
Format format_of_name(const std::string& path);

/// Throws Error if the text is empty or its format is ambiguous; `name` is used in messages.
FormatChoice choose_format(const std::string& name, const FormatSearch& search,
                           BlockReader& reader);

/// Reads `index:value` pairs, separated by blanks, up to `end`. Indices must increase and lie below
/// `limit`. For the index formats.
void parse_index_features(const char* cursor, const char* end, std::uint64_t limit,
                          Example& example);

/// Adds the cell of a column to the example, as the use of the column says. The text must live as
/// long as the example. For the tables.
void add_cell(const ColumnUse& use, std::string_view text, Example& example);
/// The same for a number.
void add_number(const ColumnUse& use, float number, Example& example);

/// Prefix of fastText labels.
inline constexpr std::string_view kFastTextLabel = "__label__";

}  // namespace cane
