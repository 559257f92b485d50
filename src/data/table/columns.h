// The columns of a table (CSV, TSV, JSON lines): which is the label, the weight, text, or a feature
// of its own. Training chooses them by the options, their names and a sample of the rows; a model
// keeps the choice, so that other tables are read by the names of their columns, in any order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "core/base/string_table.h"
#include "data/text/text_format.h"
#include "data/vocabulary/vocabulary.h"

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
  HeaderLines header = {};  // the row of names
};

/// How the rows of a table become examples.
struct Table {
  std::vector<ColumnUse> uses;  // of the columns of the file, in their order
  StringTable keys;             // name of a column -> its place in `uses`
  bool has_names = false;       // in a row of its own
};

struct ColumnChoice {
  Table table;
  bool has_words = false;            // features are words; else the columns of numbers
  std::vector<TableColumn> columns;  // for the model: those that have a use
  std::vector<std::string> notes;    // for the user: what was chosen
  std::size_t kept = 0;              // columns whose cells are kept
};

/// Chooses what the columns are for. `known`: the vocabulary the table is read through, or null;
/// `name` identifies the table in messages. Throws Error.
ColumnChoice choose_columns(const std::string& name, const TableSample& sample,
                            const DataOptions& options, const Vocabulary* known);

/// What the blocks at the beginning of a table show of its columns. Takes the row of names out of
/// them, and throws BadLine if the first row cannot be used.
TableSample sample_csv(std::vector<TextBlock>& blocks, char separator, const DataOptions& options,
                       const Vocabulary* known);
/// The same for JSON lines.
TableSample sample_json(const std::vector<TextBlock>& blocks, const Vocabulary* known);

/// Keeps the cell of a column that is kept, as it is.
void keep_cell(const ColumnUse& use, std::string_view text, Example& example);
/// Adds the cell of a column to the example, as the use of the column says. The text must live as
/// long as the example.
void add_cell(const ColumnUse& use, std::string_view text, Example& example);
/// The same for a number.
void add_number(const ColumnUse& use, float number, Example& example);

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
