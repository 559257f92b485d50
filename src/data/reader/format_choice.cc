#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "cane/names.h"
#include "core/base/bad_line.h"
#include "data/reader/formats.h"
#include "data/table/columns.h"
#include "data/text/csv_record.h"
#include "data/text/number.h"

namespace cane {
namespace {

// How much of a table is looked at to tell what its columns hold.
constexpr std::uint64_t kSampleLines = 1000;
constexpr std::size_t kSampleBytes = std::size_t{1} << 20;

// The separator of the fields of a table by its first line; '\0' for other formats.
char separator_of(const TextFormat& format, std::string_view first_line) {
  if (format.format == Format::kTsv) return '\t';
  if (format.format != Format::kCsv) return '\0';
  const auto has = [&](char character) {
    return first_line.find(character) != std::string_view::npos;
  };
  return !has(',') && has(';') ? ';' : ',';
}

// Whether a line names every column that the features of a model are made from.
bool names_columns_of(const Vocabulary& known, std::string_view line, char separator) {
  const auto fields = fields_of(line, separator);
  return fields && !known.columns.empty() &&
         std::all_of(known.columns.begin(), known.columns.end(), [&](const TableColumn& column) {
           return column.role == ColumnRole::kLabel || column.role == ColumnRole::kWeight ||
                  std::find(fields->begin(), fields->end(), column.name) != fields->end();
         });
}

std::string features_of(const Table& table) {
  std::vector<std::string> names;
  for (const ColumnUse& use : table.uses) {
    const bool is_feature = use.role == ColumnRole::kText || use.role == ColumnRole::kNumber ||
                            use.role == ColumnRole::kString;
    if (is_feature) names.push_back(in_quotes(use.name));
  }
  return shown(fmt::format("{}", fmt::join(names, ", ")));
}

// Looks at the first lines, those that are not blank, until one shows the format.
class FormatDetector {
 public:
  FormatDetector(const std::string& name, const FormatSearch& search)
      : name_(name), search_(search) {
    if (search.wanted != Format::kAuto) choice_.format = &text_format(search.wanted);
  }

  bool is_done() const { return choice_.format != nullptr && records_ > 0; }
  bool has_seen_enough() const { return records_ >= search_.max_lines; }

  void look(TextBlock block) {
    std::string_view rest = block.text;
    while (!rest.empty() && !is_done() && !has_seen_enough()) {
      const std::size_t begin = block.text.size() - rest.size();
      ++line_number_;
      look_at_line(take_record(rest, '\0'), seen_ + begin);
    }
    seen_ += block.text.size();
    HeaderLines& header = choice_.header_lines;
    if (!header.text.empty()) {
      block.text.erase(header.begin + block.text.size() - seen_, header.text.size() + 1);
    }
    if (block.long_line_follows) ++records_;
    choice_.blocks.push_back(std::move(block));
  }

  FormatChoice finish(BlockReader& reader) {
    const std::string damage = reader.damage();
    if (records_ == 0 && !damage.empty()) {
      throw Error(fmt::format("{}:{}: {}; get the file again", name_, line_number_ + 1, damage));
    }
    if (records_ == 0) {
      throw Error(fmt::format("{}: there are no examples, the file is empty; give a file with data",
                              name_));
    }
    if (!is_done() && search_.known != nullptr) choice_.format = &fallback_format(*search_.known);
    if (!is_done()) {
      throw Error(fmt::format("{}:{}: the format is not recognised; name it with `format` ({})",
                              name_, std::max<std::uint64_t>(first_record_, 1),
                              names_of<Format>()));
    }
    choice_.has_words = choice_.format->has_words;
    if (choice_.format->is_table) read_table(reader);
    return std::move(choice_);
  }

 private:
  /// `begin`: where the line is in the text.
  void look_at_line(std::string_view line, std::uint64_t begin) {
    if (is_blank_line(line)) return;
    const bool is_first = records_++ == 0;
    if (is_first) first_record_ = line_number_;
    if (choice_.format == nullptr) recognise(line, is_first);
    if (is_first && choice_.format != nullptr) separator_ = separator_of(*choice_.format, line);
    if (choice_.format == nullptr || choice_.format->parse_header == nullptr) return;
    try {
      choice_.header = choice_.format->parse_header(line);
    } catch (const BadLine& bad) {
      throw Error(fmt::format("{}:{}: {}", name_, line_number_, bad.message));
    }
    choice_.header_lines = {begin, std::string(line)};
  }

  void recognise(std::string_view line, bool is_first) {
    if (search_.known != nullptr && is_first) {
      for (const Format format : {Format::kCsv, Format::kTsv}) {
        const TextFormat& row = text_format(format);
        if (!names_columns_of(*search_.known, line, separator_of(row, line))) continue;
        choice_.format = &row;
        return;
      }
    }
    const TextFormat* const format = recognise_line(line, is_first);
    // Words with commas between them are text to a model that knows no such columns.
    const bool is_guess =
        search_.known != nullptr && format != nullptr && separator_of(*format, line) != '\0';
    if (!is_guess) choice_.format = format;
  }

  void read_table(BlockReader& reader) {
    const bool is_json = choice_.format->format == Format::kJsonl;
    if (!is_json) {
      std::string text;
      for (const TextBlock& block : choice_.blocks) {
        if (block.long_line_follows) {
          reject_first_row(line_number_ + 1, reader);
        }
        text += block.text;
      }
      choice_.blocks.clear();
      reader.take_back(std::move(text));
      reader.split_at_records(separator_);
    }
    std::uint64_t lines = 0;
    std::size_t bytes = 0;
    const auto count = [&](const TextBlock& block) {
      lines += static_cast<std::uint64_t>(std::count(block.text.begin(), block.text.end(), '\n'));
      bytes += block.text.size();
    };
    for (const TextBlock& block : choice_.blocks) count(block);
    // A model tells what its columns hold: a stream must not wait for rows.
    const bool needs_rows = search_.known == nullptr;
    TextBlock block;
    while (
        (choice_.blocks.empty() || (needs_rows && lines < kSampleLines && bytes < kSampleBytes)) &&
        reader.next(block)) {
      count(block);
      choice_.blocks.push_back(std::move(block));
    }
    if (!is_json && !choice_.blocks.empty() &&
        begins_with_long_row(choice_.blocks.front().text, reader.limits().line_bytes)) {
      reject_first_row(first_record_, reader);
    }
    try {
      TableSample sample =
          is_json ? sample_json(choice_.blocks, search_.known)
                  : sample_csv(choice_.blocks, separator_, search_.options, search_.known);
      ColumnChoice columns = choose_columns(name_, sample, search_.options, search_.known);
      choice_.header.table = std::make_shared<const Table>(std::move(columns.table));
      choice_.header.columns = features_of(*choice_.header.table);
      choice_.header.separator = separator_;
      choice_.header.kept = columns.kept;
      choice_.header_lines = std::move(sample.header);
      choice_.has_words = columns.has_words;
      choice_.columns = std::move(columns.columns);
      choice_.notes = std::move(columns.notes);
    } catch (const BadLine& bad) {
      throw Error(fmt::format("{}:{}: {}", name_, first_record_, bad.message));
    }
  }

  // It shows no columns.
  bool begins_with_long_row(std::string_view text, std::size_t longest) const {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return text.size() > longest && record_length(text, separator_) > longest;
  }

  [[noreturn]] void reject_first_row(std::uint64_t line, const BlockReader& reader) const {
    throw Error(
        fmt::format("{}:{}: the first row is longer than {} bytes; split it, or close the quote of "
                    "a field that is left open",
                    name_, line, reader.limits().line_bytes));
  }

  const std::string& name_;
  const FormatSearch& search_;
  FormatChoice choice_;
  char separator_ = '\0';
  std::uint64_t seen_ = 0;  // bytes
  std::uint64_t line_number_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t first_record_ = 0;
};

}  // namespace

FormatChoice choose_format(const std::string& name, const FormatSearch& search, BlockReader& reader,
                           std::vector<TextBlock> read) {
  FormatDetector detector(name, search);
  for (TextBlock& block : read) detector.look(std::move(block));
  TextBlock block;
  while (!detector.is_done() && !detector.has_seen_enough() && reader.next(block)) {
    detector.look(std::move(block));
  }
  return detector.finish(reader);
}

}  // namespace cane
