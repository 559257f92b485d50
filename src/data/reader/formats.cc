#include "data/reader/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cane/error.h"
#include "cane/names.h"

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
bool is_csv_header(std::string_view line, bool is_first);
bool is_tsv_header(std::string_view line, bool is_first);
void parse_csv_record(std::string_view record, const TextHeader& header, Example& example);
bool is_json_line(std::string_view line, bool is_first);
void parse_json_line(std::string_view line, const TextHeader& header, Example& example);

namespace {

// JSON comes first, since its strings may hold what other formats are known by.
constexpr TextFormat kTextFormats[] = {
    {.format = Format::kJsonl,
     .is_table = true,
     .recognise = is_json_line,
     .parse = parse_json_line},
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
     .parse = parse_svm_line},
    {.format = Format::kFastText, .recognise = is_fasttext_line, .parse = parse_fasttext_line},
    {.format = Format::kVw, .is_text = false, .recognise = is_vw_line, .parse = parse_vw_line},
    {.format = Format::kTsv,
     .is_table = true,
     .recognise = is_tsv_header,
     .parse = parse_csv_record},
    {.format = Format::kCsv,
     .is_table = true,
     .recognise = is_csv_header,
     .parse = parse_csv_record},
};

}  // namespace

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

Format format_of_name(const std::string& path) {
  std::string_view name = path;
  for (const std::string_view ending : {".gz", ".zst", ".xz", ".bz2", ".lz4"}) {
    if (name.ends_with(ending)) {
      name.remove_suffix(ending.size());
      break;
    }
  }
  if (name.ends_with(".csv")) return Format::kCsv;
  if (name.ends_with(".tsv")) return Format::kTsv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return Format::kJsonl;
  return Format::kAuto;
}

}  // namespace cane
