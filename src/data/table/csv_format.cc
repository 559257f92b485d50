// Comma- and tab-separated values: a row of names, then a record for each example.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/base/bad_line.h"
#include "data/table/columns.h"
#include "data/text/csv_record.h"
#include "data/text/number.h"
#include "data/text/text_format.h"

namespace cane {
namespace {

bool is_number(std::string_view text) {
  float value = 0.0F;
  const char* const end = text.data() + text.size();
  return parse_float(text.data(), end, value) == end;
}

void count_cell(std::string_view text, ColumnSample& column) {
  text = without_blanks(text);
  float value = 0.0F;
  const char* const end = text.data() + text.size();
  if (is_missing_number(text)) return;
  if (parse_float(text.data(), end, value) == end) {
    ++column.numbers;
    column.squares += double{value} * double{value};
  } else {
    ++column.strings;
    column.blanks += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), ' '));
  }
}

// A name of a column, by its looks: not a sentence.
bool may_be_name(std::string_view text) {
  constexpr std::size_t kLongestName = 60;
  constexpr std::ptrdiff_t kMostBlanks = 3;
  return !text.empty() && text.size() <= kLongestName && !is_number(text) &&
         std::count(text.begin(), text.end(), ' ') <= kMostBlanks;
}

class CsvSampler {
 public:
  CsvSampler(char separator, const DataOptions& options, const Vocabulary* known)
      : separator_(separator), options_(options), known_(known) {}

  TableSample sample(std::vector<TextBlock>& blocks) {
    for (TextBlock& block : blocks) {
      for (std::size_t begin = 0; begin < block.text.size() && !is_enough();) {
        const std::string_view rest = std::string_view(block.text).substr(begin);
        const std::size_t length = std::min(record_length(rest, separator_), rest.size());
        add(block, begin, rest.substr(0, length));
        begin += length + 1;
      }
    }
    if (first_block_ == nullptr) {
      throw BadLine{"no row can be read; split rows of more than 8 MiB, and close their quotes"};
    }
    const bool has_header = decide_header();
    for (std::size_t column = 0; column < names_.size(); ++column) {
      ColumnSample& result = columns_[column];
      if (!has_header) count_cell(names_[column], result);
      const std::string_view name = without_blanks(names_[column]);
      result.is_unnamed = has_header && name.empty();
      result.name = has_header && !name.empty() ? name : std::to_string(column + 1);
    }
    TableSample result = {.columns = std::move(columns_)};
    if (has_header) result.header = take_header(blocks);
    return result;
  }

 private:
  // Rows are looked at only where the columns must be told from their content.
  bool is_enough() const {
    constexpr std::uint64_t kRows = 1000;
    return rows_ >= kRows;
  }

  void add(TextBlock& block, std::size_t begin, std::string_view record) {
    if (is_blank_line(record)) return;
    try {
      split_record(record, separator_, storage_, fields_);
    } catch (const BadLine&) {
      if (first_block_ == nullptr) throw;
      return;  // reported when it is parsed
    }
    if (first_block_ == nullptr) {
      first_block_ = &block;
      first_begin_ = begin;
      first_length_ = record.size();
      names_.assign(fields_.begin(), fields_.end());
      columns_.resize(names_.size());
      recurs_.resize(names_.size());
      return;
    }
    if (fields_.size() != names_.size()) return;
    ++rows_;
    const bool repeats_names = std::ranges::equal(fields_, names_);
    for (std::size_t column = 0; column < names_.size(); ++column) {
      if (!repeats_names) count_cell(fields_[column], columns_[column]);
      if (fields_[column] == names_[column]) recurs_[column] = true;
    }
  }

  bool decide_header() const {
    if (options_.header != HeaderRow::kAuto) return options_.header == HeaderRow::kYes;
    if (known_ != nullptr && !known_->columns.empty()) {
      return !std::all_of(known_->columns.begin(), known_->columns.end(),
                          [](const TableColumn& column) { return is_number(column.name); });
    }
    const auto is_named = [&](const std::string& cell) {
      const std::string_view name = without_blanks(cell);
      return is_label_name(name) || is_text_name(name) ||
             (!name.empty() && !is_number(name) &&
              (name == options_.label_column || name == options_.text_column ||
               name == options_.weight_column));
    };
    if (std::any_of(names_.begin(), names_.end(), is_named)) return true;
    bool all_names = true;
    bool any_numeric = false;
    bool any_recurs = false;
    for (std::size_t column = 0; column < names_.size(); ++column) {
      all_names = all_names && may_be_name(without_blanks(names_[column]));
      any_numeric = any_numeric || columns_[column].is_numeric();
      any_recurs = any_recurs || recurs_[column];
    }
    return all_names && (any_numeric || !any_recurs);
  }

  HeaderLines take_header(std::vector<TextBlock>& blocks) const {
    HeaderLines header = {first_begin_, first_block_->text.substr(first_begin_, first_length_)};
    first_block_->text.erase(first_begin_, first_length_ + 1);
    if (header.text.ends_with('\r')) header.text.pop_back();
    for (const TextBlock* block = blocks.data(); block != first_block_; ++block) {
      header.begin += block->text.size();
    }
    return header;
  }

  char separator_;
  const DataOptions& options_;
  const Vocabulary* known_;
  TextBlock* first_block_ = nullptr;
  std::size_t first_begin_ = 0;
  std::size_t first_length_ = 0;
  std::vector<std::string> names_;  // the cells of the first row
  std::vector<ColumnSample> columns_;
  std::vector<bool> recurs_;  // the first row's cell is seen again in its column
  std::uint64_t rows_ = 0;
  std::string storage_;
  std::vector<std::string_view> fields_;
};

// Names of columns with separators between them, one of them usual for a label.
bool is_header(std::string_view line, char separator) {
  const auto fields = fields_of(line, separator);
  const auto named = [](std::string_view field) { return may_be_name(without_blanks(field)); };
  const auto is_label = [](std::string_view field) { return is_label_name(without_blanks(field)); };
  return fields && fields->size() > 1 && std::ranges::all_of(*fields, named) &&
         std::ranges::any_of(*fields, is_label);
}

}  // namespace

bool is_csv_header(std::string_view line, bool is_first) {
  return is_first && (is_header(line, ',') || is_header(line, ';'));
}

bool is_tsv_header(std::string_view line, bool is_first) {
  return is_first && is_header(line, '\t');
}

TableSample sample_csv(std::vector<TextBlock>& blocks, char separator, const DataOptions& options,
                       const Vocabulary* known) {
  return CsvSampler(separator, options, known).sample(blocks);
}

void parse_csv_record(std::string_view record, const TextHeader& header, Example& example) {
  const Table& table = *header.table;
  split_record(record, header.separator, example.storage, example.fields);
  if (example.fields.size() != table.uses.size()) {
    throw BadLine{fmt::format(
        "{} fields, but the table has {} columns; complete the row, or put fields that hold the "
        "separator between quotes",
        example.fields.size(), table.uses.size())};
  }
  example.is_header =
      table.has_names && std::ranges::equal(example.fields, table.uses, {}, {}, &ColumnUse::name);
  const auto is_number = [](const ColumnUse& use) {
    return use.role == ColumnRole::kNumber || use.role == ColumnRole::kWeight;
  };
  if (example.is_header && std::ranges::any_of(table.uses, is_number)) {
    throw BadLine{"the row repeats the names of the columns; take it out"};
  }
  for (std::size_t column = 0; column < table.uses.size(); ++column) {
    const ColumnUse& use = table.uses[column];
    if (use.kept > 0) keep_cell(use, example.fields[column], example);
    if (use.role != ColumnRole::kNone) add_cell(use, example.fields[column], example);
  }
}

}  // namespace cane
