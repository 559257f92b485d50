#include "data/text/format_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>

#include "cane/error.h"
#include "cane/names.h"
#include "core/base/bad_line.h"
#include "data/text/format.h"
#include "data/text/number.h"

namespace cane {
namespace {

// Looks at the first lines, those that are not blank, until one shows the format.
class FormatDetector {
 public:
  FormatDetector(const std::string& name, Format wanted) : name_(name) { choice_.format = wanted; }

  bool is_done() const { return choice_.format != Format::kAuto && records_ > 0; }
  bool has_seen_enough() const { return records_ >= kMaxLines; }

  void look(TextBlock block) {
    char* cursor = block.text.data();
    char* const end = cursor + block.text.size();
    while (cursor != end && !is_done() && !has_seen_enough()) {
      char* const stop = std::find(cursor, end, '\n');
      ++line_number_;
      look_at_line(cursor, stop);
      cursor = stop == end ? end : stop + 1;
    }
    if (block.long_line_follows) ++records_;
    choice_.blocks.push_back(std::move(block));
  }

  FormatChoice finish(const std::string& damage) {
    if (records_ == 0 && !damage.empty()) {
      throw Error(fmt::format("{}:{}: {}; get the file again", name_, line_number_ + 1, damage));
    }
    if (records_ == 0) {
      throw Error(fmt::format("{}: there are no examples, the file is empty; give a file with data",
                              name_));
    }
    if (!is_done()) {
      throw Error(fmt::format("{}:{}: the format is not recognised; name it with --format ({})",
                              name_, std::max<std::uint64_t>(first_record_, 1),
                              names_of<Format>()));
    }
    return std::move(choice_);
  }

 private:
  static constexpr std::uint64_t kMaxLines = 16;

  void look_at_line(char* begin, char* end) {
    const std::string_view line(begin, static_cast<std::size_t>(end - begin));
    if (is_blank_line(line)) return;
    const bool is_first = records_++ == 0;
    if (is_first) first_record_ = line_number_;
    if (choice_.format == Format::kAuto) {
      choice_.format = recognise_line(line, is_first).value_or(Format::kAuto);
    }
    if (choice_.format != Format::kXmc) return;
    try {
      choice_.header = parse_xmc_header(line);
    } catch (const BadLine& bad) {
      throw Error(fmt::format("{}:{}: {}", name_, line_number_, bad.message));
    }
    std::fill(begin, end, ' ');
  }

  const std::string& name_;
  FormatChoice choice_;
  std::uint64_t line_number_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t first_record_ = 0;
};

}  // namespace

FormatChoice choose_format(const std::string& name, Format wanted, BlockReader& reader) {
  FormatDetector scout(name, wanted);
  TextBlock block;
  while (!scout.is_done() && !scout.has_seen_enough() && reader.next(block)) {
    scout.look(std::move(block));
  }
  return scout.finish(reader.damage());
}

LineParser FormatChoice::line_parser() const {
  switch (format) {
    case Format::kSvm:
      return parse_svm_line;
    case Format::kVw:
      return parse_vw_line;
    case Format::kFastText:
      return parse_fasttext_line;
    default:
      return [header = *header](std::string_view line, Example& example) {
        parse_xmc_line(header, line, example);
      };
  }
}

}  // namespace cane
