#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>

#include "lm/sampled/cpu/kernels.h"
#include "lm/update/cpu/instruction_sets.h"

namespace cane::lm::cpu {
namespace {

constexpr std::int64_t kTokensPerThread = 16;

CANE_CLONES float dot(const float* a, const float* b, std::int64_t width) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < width; ++i) sum += a[i] * b[i];
  return sum;
}

CANE_CLONES void add_scaled(float scale, const float* a, float* sum, std::int64_t width) {
#pragma omp simd
  for (std::int64_t i = 0; i < width; ++i) sum[i] += scale * a[i];
}

}  // namespace

void gather_dot(const GatherArguments& task) {
  const ShortlistShape& shape = task.shape;
  at::parallel_for(0, shape.tokens, kTokensPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t token = begin; token < end; ++token) {
      const std::int32_t* words = task.token_words + token * shape.token_words();
      float* scores = task.scores + token * shape.stride();
      for (std::int64_t place = 0; place < shape.token_words(); ++place) {
        const std::int64_t word = words[place];
        scores[shape.column_of_token_word(place)] =
            word == kNoWord ? -std::numeric_limits<float>::infinity()
                            : task.bias[word] + dot(task.hidden + token * task.width,
                                                    task.weight + word * task.width, task.width);
      }
    }
  });
}

void gather_back(const GatherArguments& task) {
  const ShortlistShape& shape = task.shape;
  at::parallel_for(0, shape.tokens, kTokensPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t token = begin; token < end; ++token) {
      const std::int32_t* words = task.token_words + token * shape.token_words();
      const float* gradient = task.scores + token * shape.stride();
      for (std::int64_t place = 0; place < shape.token_words(); ++place) {
        if (words[place] == kNoWord) continue;
        add_scaled(gradient[shape.column_of_token_word(place)],
                   task.weight + words[place] * task.width,
                   task.hidden_gradient + token * task.width, task.width);
      }
    }
  });
}

WordGroups group_words(const std::int32_t* words, std::int64_t count, std::int64_t vocabulary) {
  // All zero between calls, so that a call costs nothing for words that it does not see.
  thread_local std::vector<std::int64_t> ends;
  if (static_cast<std::int64_t>(ends.size()) < vocabulary) {
    ends.resize(static_cast<std::size_t>(vocabulary), 0);
  }
  const auto end_of = [&](std::int64_t word) -> std::int64_t& {
    return ends[static_cast<std::size_t>(word)];
  };
  WordGroups groups;
  for (std::int64_t i = 0; i < count; ++i) {
    if (words[i] == kNoWord) continue;
    if (end_of(words[i])++ == 0) groups.rows.push_back(words[i]);
  }
  groups.offsets.reserve(groups.rows.size() + 1);
  std::int64_t total = 0;
  for (const std::int64_t word : groups.rows) {
    groups.offsets.push_back(total);
    const std::int64_t size = end_of(word);
    end_of(word) = total;
    total += size;
  }
  groups.offsets.push_back(total);
  groups.entries.resize(static_cast<std::size_t>(total));
  for (std::int64_t i = 0; i < count; ++i) {
    if (words[i] != kNoWord) groups.entries[static_cast<std::size_t>(end_of(words[i])++)] = i;
  }
  for (const std::int64_t word : groups.rows) end_of(word) = 0;
  return groups;
}

void widen(const WidenArguments& task) {
  at::parallel_for(0, task.count, kTokensPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t c = 0; c < task.wide; ++c) {
        task.out[i * task.wide + c] = widened_number(task, i, c);
      }
    }
  });
}

WordGroups group_words(const RowSumArguments& task) {
  std::vector<std::int32_t> words(task.shared_words, task.shared_words + task.shared);
  words.insert(words.end(), task.token_words, task.token_words + task.token_entries());
  return group_words(words.data(), static_cast<std::int64_t>(words.size()), task.words);
}

void sum_rows(const RowSumArguments& task, const WordGroups& groups, float* values) {
  const auto count = static_cast<std::int64_t>(groups.rows.size());
  at::parallel_for(0, count, kTokensPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t group = begin; group < end; ++group) {
      float* sum = values + group * task.width;
      std::fill_n(sum, task.width, 0.0F);
      const auto at = static_cast<std::size_t>(group);
      for (std::int64_t e = groups.offsets[at]; e < groups.offsets[at + 1]; ++e) {
        const std::int64_t entry = groups.entries[static_cast<std::size_t>(e)];
        add_scaled(task.scale(entry), task.row(entry), sum, task.width);
      }
    }
  });
}

namespace {

// Calls body(word, score) for every place of a token that holds a word.
template <typename Body>
void for_each_word(const PathArguments& task, std::int64_t token, const Body& body) {
  const ShortlistShape& shape = task.shape;
  float* scores = task.scores + token * shape.stride();
  const std::int32_t* own = task.token_words + token * shape.token_words();
  for (std::int64_t place = 0; place < shape.token_words(); ++place) {
    if (own[place] != kNoWord) body(own[place], scores[shape.column_of_token_word(place)]);
  }
  for (std::int64_t s = 0; s < shape.shared_words(); ++s) {
    const std::int64_t column = shape.first_shared_column() + s;
    if (column == shape.label_column() || task.shared_words[s] == kNoWord) continue;
    body(task.shared_words[s], scores[column]);
  }
}

}  // namespace

void add_path_scores(const PathArguments& task) {
  at::parallel_for(0, task.shape.tokens, kTokensPerThread,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t token = begin; token < end; ++token) {
                       const float* subset_scores = task.subset_scores + token * task.subsets;
                       for_each_word(task, token, [&](std::int32_t word, float& score) {
                         score += subset_scores[task.subset_of_word[word]];
                       });
                     }
                   });
}

void sum_path_gradients(const PathArguments& task) {
  at::parallel_for(0, task.shape.tokens, kTokensPerThread,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t token = begin; token < end; ++token) {
                       float* gradient = task.subset_scores + token * task.subsets;
                       std::fill_n(gradient, task.subsets, 0.0F);
                       for_each_word(task, token, [&](std::int32_t word, float score) {
                         gradient[task.subset_of_word[word]] += score;
                       });
                     }
                   });
}

}  // namespace cane::lm::cpu
