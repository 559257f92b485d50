// The text formats. A line of a format becomes one Example (in tables with quoted fields a record,
// which may be several lines); the table of formats says how a line is recognised and parsed.
// Parsers are pure: what they cannot use they throw as BadLine; blank lines never reach them. Names
// in an Example point into the line, or into its storage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "core/base/types.h"
#include "data/text/block_reader.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

struct Table;  // see data/table/columns.h

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
  /// Tables: whether a column of the features has a value, be it zero or without a word; and
  /// whether the row repeats the names of the columns.
  bool has_columns = false;
  bool is_header = false;
  std::vector<std::string> kept;  // cells, by their places among those that are kept
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
    has_columns = false;
    is_header = false;
    kept.clear();
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
  /// Of a table: how its parser uses the columns. Null: the format is no table.
  std::shared_ptr<const Table> table = {};
  char separator = '\0';     // of the fields of a record, which may be several lines; '\0': a line
  std::size_t kept = 0;      // cells that are kept of each row
  std::string columns = {};  // names of those that are features, for messages
};

/// The lines of a text that hold its header, and so no example.
struct HeaderLines {
  std::uint64_t begin = 0;  // bytes of the text before it
  std::string text = {};    // without its line end; empty: there is none

  std::uint64_t end() const { return begin + text.size(); }
  std::uint64_t count() const {
    return text.empty() ? 0 : 1 + static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  }
};

struct TextFormat {
  Format format = Format::kAuto;
  /// Features are words; else indices. In tables that depends on the columns.
  bool has_words = true;
  /// What lies between blanks is text, which a tokenizer may cut further; else it is a name.
  bool is_text = true;
  bool is_table = false;
  /// Whether a line shows this format. `is_first`: only blank lines came before it.
  bool (*recognise)(std::string_view line, bool is_first) = nullptr;
  /// Null: the format has no header.
  TextHeader (*parse_header)(std::string_view line) = nullptr;
  void (*parse)(std::string_view line, const TextHeader& header, Example& example) = nullptr;
};

/// The format of a text, and the text read to detect it.
struct FormatChoice {
  const TextFormat* format = nullptr;
  TextHeader header = {};
  HeaderLines header_lines = {};
  std::vector<TextBlock> blocks = {};  // to be parsed first; the header is not in them
  bool has_words = false;              // features are words; else indices
  /// Of a table: the columns that have a use, for the model; what was chosen, for the user.
  std::vector<TableColumn> columns = {};
  std::vector<std::string> notes = {};
};

/// Reads `index:value` pairs, separated by blanks, up to `end`. Indices must increase and lie below
/// `limit`. For the index formats.
void parse_index_features(const char* cursor, const char* end, std::uint64_t limit,
                          Example& example);

/// Prefix of fastText labels.
inline constexpr std::string_view kFastTextLabel = "__label__";

}  // namespace cane
