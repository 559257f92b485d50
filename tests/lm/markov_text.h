// A text drawn from a known Markov chain of words, so that the best possible perplexity is known.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"

namespace cane::testing {

/// State 0 is the end of a line; the others are words w1, w2, ...
class MarkovChain {
 public:
  MarkovChain(std::size_t states, std::uint64_t seed) : random_(seed, RandomPurpose::kSynthetic) {
    for (std::size_t from = 0; from < states; ++from) {
      std::vector<double>& row = rows_.emplace_back();
      double sum = 0.0;
      for (std::size_t to = 0; to < states; ++to) {
        const bool empty_line = from == 0 && to == 0;
        row.push_back(empty_line ? 0.0 : std::exp(1.5 * random_.normal(from, std::uint32_t(to))));
        sum += row.back();
      }
      for (double& share : row) share /= sum;
    }
  }

  struct Text {
    std::string lines;
    double perplexity = 0.0;  // of the chain itself, on this very text
  };

  Text draw(std::size_t words, std::uint64_t number) const {
    Text text;
    double log_sum = 0.0;
    std::size_t state = 0;
    std::size_t drawn = 0;
    // Whole lines, so that reading it adds no end of line.
    while (drawn < words || state != 0) {
      double point = random_.uniform((number << 32) + drawn, 1'000'000);
      std::size_t next = state == 0 ? 1 : 0;
      while (next + 1 < rows_.size() && point >= rows_[state][next]) point -= rows_[state][next++];
      log_sum += std::log(rows_[state][next]);
      text.lines += next == 0 ? "\n" : " w" + std::to_string(next);
      state = next;
      ++drawn;
    }
    text.perplexity = std::exp(-log_sum / static_cast<double>(drawn));
    return text;
  }

 private:
  CounterRandom random_;
  std::vector<std::vector<double>> rows_;
};

}  // namespace cane::testing
