// Which output layer, and how it is set. Without torch, so that the command line can see it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cane/names.h"

namespace cane::lm {

enum class HeadNoise { kAuto, kUniform, kUnigram, kNgram };

/// All but the name are of the sampled heads, and of cane where it says so.
struct HeadOptions {
  std::string name = "softmax";
  std::string select = "frequent";  // cane: where candidates come from
  std::int64_t frequent = 0;        // cane: how many frequent words; 0: a fifth, 2,000 at most
  std::int64_t candidates = 80;     // cane: of each token
  std::int64_t noises = 500;
  bool own_noises = false;  // each token draws its own
  HeadNoise noise = HeadNoise::kAuto;
  double noise_power = 0.75;
  std::int64_t subsets = 6;  // cane
  std::int64_t rank = 32;    // cane
};

/// The names of the heads of this build.
std::span<const std::string_view> head_names();
/// "softmax|adaptive|...", for as long as the program runs.
const char* head_values();

}  // namespace cane::lm

namespace cane {

template <>
inline std::span<const Named<lm::HeadNoise>> named_values<lm::HeadNoise>() {
  static constexpr Named<lm::HeadNoise> kNames[] = {{lm::HeadNoise::kAuto, "auto"},
                                                    {lm::HeadNoise::kUniform, "uniform"},
                                                    {lm::HeadNoise::kUnigram, "unigram"},
                                                    {lm::HeadNoise::kNgram, "ngram"}};
  return kNames;
}

}  // namespace cane
