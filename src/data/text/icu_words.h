// Word segmentation by ICU, the slow and general way: see tokenizer.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cane {

class IcuWords {
 public:
  /// Throws Error if ICU has no data.
  IcuWords();
  ~IcuWords();

  /// Appends the words of a text in UTF-8, in one spelling. White space and control characters are
  /// no words.
  void append(std::string_view text, std::vector<std::string>& words);

 private:
  /// Appends the text if it is a single word of a script that needs no dictionary.
  bool append_one_word(std::string_view text, std::vector<std::string>& words);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cane
