#include "cli/cane/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/json_lines.h"
#include "app/report/markup.h"
#include "cane/error.h"
#include "core/base/bad_line.h"

namespace cane::cli {
namespace {

bool is_rejected(const RowAnswer& answer) {
  return !answer.best.empty() && answer.best.front().class_id == kRejectedClass;
}

// Why there is no label; empty if there is one.
std::string_view why_withheld(const RowAnswer& answer) {
  if (is_rejected(answer)) return "rejected";
  constexpr std::string_view kGaps[] = {"blank", "skipped", "empty"};
  return answer.gap ? kGaps[static_cast<std::size_t>(*answer.gap)] : "";
}

// Empty in a blank line that comes before the names of the columns.
std::string cell(const RowAnswer& answer, std::size_t column) {
  return column < answer.kept.size() ? answer.kept[column] : std::string();
}

// Of the probability, where the normaliser is estimated.
float standard_error(const Prediction& prediction) {
  return prediction.probability * prediction.log_error;
}

// Whether answers have a column of this name themselves, with --top-k also label_1 and so on.
bool is_own_name(std::string_view column) {
  const std::size_t number = column.find_last_not_of("0123456789");
  if (number != std::string_view::npos && column[number] == '_') column = column.substr(0, number);
  constexpr std::string_view kNames[] = {"row",      "label", "probability", "standard_error",
                                         "withheld", "others"};
  return std::ranges::find(kNames, column) != std::end(kNames);
}

void check_word(const char* option, const std::string& word,
                const std::vector<std::string>& labels) {
  if (word.find_first_of("\t\r\n") != std::string::npos) {
    throw Error(fmt::format("{} {}: a word has no tab and no line break", option, in_quotes(word)));
  }
  if (std::ranges::find(labels, word) == labels.end()) return;
  throw Error(fmt::format("{} {}: the model has a class of this name; give another word", option,
                          in_quotes(word)));
}

}  // namespace

AnswerWriter::AnswerWriter(const Model& model, const AnswerStyle& style)
    : labels_(model.labels()), style_(style) {
  if (!style_.reject_as.empty()) check_word("--reject-as", style_.reject_as, labels_);
  if (!style_.empty_as.empty()) check_word("--empty-as", style_.empty_as, labels_);
  for (std::string& column : style_.kept) {
    if (is_own_name(column)) column.insert(0, "input_");
  }
  if (!style_.reject_as.empty()) return;
  style_.reject_as = kUnknownLabel;
  while (std::ranges::find(labels_, style_.reject_as) != labels_.end()) {
    style_.reject_as = fmt::format("({})", style_.reject_as);
  }
}

std::string AnswerWriter::label(const RowAnswer& answer, std::size_t place) const {
  const std::uint32_t id = answer.best[place].class_id;
  const std::string& label = id == kRejectedClass ? style_.reject_as : labels_[id];
  return style_.is_terminal ? without_control_bytes(label) : label;
}

std::string AnswerWriter::header() const {
  if (style_.format != "csv") return {};
  std::string line = style_.with_rows ? "row," : "";
  for (const std::string& column : style_.kept) line += exact_csv_field(column) + ',';
  for (std::uint32_t place = 1; place <= style_.top_k; ++place) {
    const std::string number = style_.top_k == 1 ? "" : fmt::format("_{}", place);
    line += fmt::format("label{},", number);
    if (style_.with_probability) line += fmt::format("probability{0},standard_error{0},", number);
  }
  return line + "withheld\n";
}

std::string AnswerWriter::line(const RowAnswer& answer) const {
  if (style_.format == "csv") return csv_line(answer);
  return style_.format == "jsonl" ? json_line(answer) : text_line(answer);
}

std::string AnswerWriter::text_line(const RowAnswer& answer) const {
  std::string line = style_.with_rows ? fmt::format("{}\t", answer.example + 1) : "";
  for (std::size_t column = 0; column < style_.kept.size(); ++column) {
    std::string text = cell(answer, column);
    std::ranges::replace_if(
        text, [](char byte) { return byte == '\t' || byte == '\n' || byte == '\r'; }, ' ');
    line += (style_.is_terminal ? without_control_bytes(text) : text) + '\t';
  }
  if (answer.best.empty()) line += style_.empty_as;
  for (std::size_t place = 0; place < answer.best.size(); ++place) {
    if (place > 0) line += '\t';
    line += label(answer, place);
    if (style_.with_probability) line += fmt::format("\t{:.6g}", answer.best[place].probability);
  }
  return line + '\n';
}

std::string AnswerWriter::csv_line(const RowAnswer& answer) const {
  std::string line = style_.with_rows ? fmt::format("{},", answer.example + 1) : "";
  for (std::size_t column = 0; column < style_.kept.size(); ++column) {
    line += exact_csv_field(cell(answer, column)) + ',';
  }
  for (std::size_t place = 0; place < style_.top_k; ++place) {
    const bool is_there = place < answer.best.size();
    if (is_there) line += exact_csv_field(label(answer, place));
    if (place == 0 && answer.best.empty()) line += exact_csv_field(style_.empty_as);
    line += ',';
    if (!style_.with_probability) continue;
    if (is_there) line += fmt::format("{:.6g}", answer.best[place].probability);
    line += ',';
    if (is_there) line += fmt::format("{:.3g}", standard_error(answer.best[place]));
    line += ',';
  }
  return line.append(why_withheld(answer)) + '\n';
}

std::string AnswerWriter::json_line(const RowAnswer& answer) const {
  const auto rounded = [](float number) { return json_value_of(fmt::format("{:.6g}", number)); };
  const auto describe = [&](Json& json, std::size_t place) {
    const bool has_label = place < answer.best.size() && !is_rejected(answer);
    json["label"] = has_label ? Json(label(answer, place)) : Json();
    if (!style_.with_probability || place >= answer.best.size()) return;
    json["probability"] = rounded(answer.best[place].probability);
    json["standard_error"] = rounded(standard_error(answer.best[place]));
  };
  Json json = Json::object();
  if (style_.with_rows) json["row"] = answer.example + 1;
  for (std::size_t column = 0; column < style_.kept.size(); ++column) {
    json[style_.kept[column]] = cell(answer, column);
  }
  describe(json, 0);
  if (const std::string_view why = why_withheld(answer); !why.empty()) json["withheld"] = why;
  for (std::size_t place = 1; place < answer.best.size(); ++place) {
    Json& other = json["others"].emplace_back(Json::object());
    describe(other, place);
  }
  return json_text(json) + '\n';
}

}  // namespace cane::cli
