// The columns of a table (CSV, TSV, JSON lines): which is the label, the weight, text, or a feature
// of its own. Training chooses them by the options, their names and a sample of the rows; a model
// keeps the choice, so that other tables are read by the names of their columns, in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "core/base/string_table.h"
#include "core/base/types.h"
#include "data/text/vocabulary.h"

namespace cane {

/// What a sample of rows shows of a column.
struct ColumnSample {
  std::string name;
  bool is_unnamed = false;  // the name is its number, though other columns have names
  std::uint64_t numbers = 0;
  std::uint64_t strings = 0;
  std::uint64_t nested = 0;  // JSON arrays and objects
  std::uint64_t blanks = 0;  // between the words of the strings
  double squares = 0.0;      // of the numbers

  bool is_numeric() const { return numbers > 0 && strings == 0 && nested == 0; }
  bool has_strings() const { return strings > 0; }
  /// Two words or more in a string, on average.
  bool is_prose() const { return has_strings() && blanks >= strings; }
};

struct TableSample {
  std::vector<ColumnSample> columns;
  /// Columns that a sample lacks may come later (keys of JSON objects).
  bool is_open = false;
};

/// How a column of a file is used.
struct ColumnUse {
  ColumnRole role = ColumnRole::kNone;
  std::string name;          // in the file, for messages
  std::string feature = {};  // kNumber, kString: the name that training saw
  FeatureId index = 0;       // kNumber: its place among those of the model
};

/// How the rows of a table become examples.
struct Table {
  char separator = ',';
  std::vector<ColumnUse> uses;  // of the columns of the file, in their order
  StringTable keys;             // name of a column -> its place in `uses`
  bool has_words = false;       // features are words; else the columns of numbers, by their index
  /// For the model: the columns that have a use.
  std::vector<TableColumn> columns;
  /// For the user: what was chosen.
  std::vector<std::string> notes;
};

/// Chooses what the columns are for. `known`: the vocabulary the table is read through, or null;
/// `name` identifies the table in messages. Throws Error.
Table choose_columns(const std::string& name, const TableSample& sample, const DataOptions& options,
                     const Vocabulary* known);

/// "label 'kind'; text 'title'": what columns are for. Long lists are shortened.
std::string columns_text(const std::vector<TableColumn>& columns);

/// Whether a column of this name is usually the label ("Label", "target", ...), the text
/// ("Sentence", ...), or counts rows ("id", ...).
bool is_label_name(std::string_view name);
bool is_text_name(std::string_view name);
bool is_counter_name(std::string_view name);

/// Whether this is how a missing number is written: nothing, NaN, NA, null and the like.
bool is_missing_number(std::string_view text);

}  // namespace cane
