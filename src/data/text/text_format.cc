#include "data/text/text_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cane/error.h"
#include "cane/names.h"
#include "core/base/bad_line.h"
#include "data/text/number.h"

namespace cane {

// Each in NAME_format.cc.
bool is_xmc_header(std::string_view line, bool is_first);
TextHeader parse_xmc_header(std::string_view line);
void parse_xmc_line(std::string_view line, const TextHeader& header, Example& example);
bool is_svm_line(std::string_view line, bool is_first);
void parse_svm_line(std::string_view line, const TextHeader& header, Example& example);
bool is_fasttext_line(std::string_view line, bool is_first);
void parse_fasttext_line(std::string_view line, const TextHeader& header, Example& example);
bool is_vw_line(std::string_view line, bool is_first);
void parse_vw_line(std::string_view line, const TextHeader& header, Example& example);

namespace {

constexpr TextFormat kTextFormats[] = {
    {.format = Format::kXmc,
     .has_words = false,
     .is_text = false,
     .recognise = is_xmc_header,
     .parse_header = parse_xmc_header,
     .parse = parse_xmc_line},
    {.format = Format::kSvm,
     .has_words = false,
     .is_text = false,
     .recognise = is_svm_line,
     .parse_header = nullptr,
     .parse = parse_svm_line},
    {.format = Format::kFastText,
     .has_words = true,
     .is_text = true,
     .recognise = is_fasttext_line,
     .parse_header = nullptr,
     .parse = parse_fasttext_line},
    {.format = Format::kVw,
     .has_words = true,
     .is_text = false,
     .recognise = is_vw_line,
     .parse_header = nullptr,
     .parse = parse_vw_line},
};

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
    if (!is_done() && search_.known != nullptr) choice_.format = &fallback_format(*search_.known);
    if (!is_done()) {
      throw Error(fmt::format("{}:{}: the format is not recognised; name it with `format` ({})",
                              name_, std::max<std::uint64_t>(first_record_, 1),
                              names_of<Format>()));
    }
    return std::move(choice_);
  }

 private:
  void look_at_line(char* begin, char* end) {
    const std::string_view line(begin, static_cast<std::size_t>(end - begin));
    if (is_blank_line(line)) return;
    const bool is_first = records_++ == 0;
    if (is_first) first_record_ = line_number_;
    if (choice_.format == nullptr) choice_.format = recognise_line(line, is_first);
    if (choice_.format == nullptr || choice_.format->parse_header == nullptr) return;
    try {
      choice_.header = choice_.format->parse_header(line);
    } catch (const BadLine& bad) {
      throw Error(fmt::format("{}:{}: {}", name_, line_number_, bad.message));
    }
    std::fill(begin, end, ' ');
  }

  const std::string& name_;
  FormatSearch search_;
  FormatChoice choice_;
  std::uint64_t line_number_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t first_record_ = 0;
};

}  // namespace

std::span<const TextFormat> text_formats() {
  return kTextFormats;
}

const TextFormat& text_format(Format format) {
  const auto row = std::ranges::find(kTextFormats, format, &TextFormat::format);
  if (row != std::end(kTextFormats)) return *row;
  throw Error(fmt::format("{} is not a format of text", name_of(format)));
}

const TextFormat* recognise_line(std::string_view line, bool is_first) {
  const auto row = std::ranges::find_if(
      kTextFormats, [&](const TextFormat& format) { return format.recognise(line, is_first); });
  return row == std::end(kTextFormats) ? nullptr : &*row;
}

const TextFormat& fallback_format(const Vocabulary& known) {
  return text_format(known.feature_kind == FeatureKind::kIndices ? Format::kSvm
                                                                 : Format::kFastText);
}

FormatChoice choose_format(const std::string& name, const FormatSearch& search,
                           BlockReader& reader) {
  FormatDetector detector(name, search);
  TextBlock block;
  while (!detector.is_done() && !detector.has_seen_enough() && reader.next(block)) {
    detector.look(std::move(block));
  }
  return detector.finish(reader.damage());
}

}  // namespace cane
