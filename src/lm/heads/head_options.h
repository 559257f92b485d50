// The choice of output layer and its options. This header does not include torch, so that the
// command line can use it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cane/names.h"

namespace cane::lm {

enum class HeadNoise { kAuto, kUniform, kUnigram, kNgram };

/// All options but the name apply to the sampled heads; those marked cane apply to cane alone.
struct HeadOptions {
  std::string name = "softmax";
  std::string select = "frequent";  // cane: where candidates come from
  std::int64_t frequent = 0;        // cane: how many frequent words; 0: a fifth, 2,000 at most
  std::int64_t candidates = 80;     // cane: per token
  std::int64_t noises = 500;
  bool own_noises = false;  // each token draws its own
  HeadNoise noise = HeadNoise::kAuto;
  double noise_power = 0.75;
  std::int64_t subsets = 6;  // cane
  std::int64_t rank = 32;    // cane
};

/// The names of the heads in this build.
std::span<const std::string_view> head_names();
/// "softmax|adaptive|...", valid until the program ends.
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
