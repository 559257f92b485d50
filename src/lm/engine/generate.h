// Generates text word by word. Each word is drawn from the softmax of the scores divided by a
// temperature, among the best few.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "lm/engine/language_model.h"

namespace cane::lm {

struct GenerateOptions {
  std::uint64_t words = 100;
  double temperature = 1.0;  // 0: always the best word
  std::uint32_t top_k = 0;   // 0: all words
  bool unknown = false;      // <unk> may be written
  std::uint64_t seed = 1;
};

/// Continues the text after `start`, and calls `on_word` for each new word; generation ends when it
/// returns false.
void generate(LanguageModel& model, std::span<const WordId> start, const GenerateOptions& options,
              const std::function<bool(WordId)>& on_word);

}  // namespace cane::lm
