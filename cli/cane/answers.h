// The answers of `cane predict` as lines: text, CSV or JSON lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cane/model.h"
#include "cane/predict.h"

namespace cane::cli {

struct AnswerStyle {
  std::string format = "text";  // text, csv or jsonl
  bool with_probability = false;
  bool with_rows = false;              // their numbers, from 1
  std::vector<std::string> kept = {};  // the columns whose cells come with each answer
  std::uint32_t top_k = 1;
  /// The words of answers that are withheld; empty: chosen so that no class has that name.
  std::string reject_as = {};
  std::string empty_as = {};
  bool is_terminal = false;  // labels are shown without their control bytes
};

class AnswerWriter {
 public:
  /// The model must outlive the object. Throws Error if a class has the name of a word for answers
  /// that are withheld.
  AnswerWriter(const Model& model, const AnswerStyle& style);

  /// The first line, which names the columns; empty if there is none.
  std::string header() const;
  /// With its end.
  std::string line(const RowAnswer& answer) const;

 private:
  std::string text_line(const RowAnswer& answer) const;
  std::string csv_line(const RowAnswer& answer) const;
  std::string json_line(const RowAnswer& answer) const;
  std::string label(const RowAnswer& answer, std::size_t place) const;

  const std::vector<std::string>& labels_;
  AnswerStyle style_;
};

}  // namespace cane::cli
