#include <ATen/Parallel.h>

#include "lm/sampled/cpu/kernels.h"

namespace cane::lm::cpu {
namespace {

constexpr std::int64_t kTokensPerThread = 16;

template <typename Body>
void for_each_token(std::int64_t tokens, const Body& body) {
  at::parallel_for(0, tokens, kTokensPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t token = begin; token < end; ++token) body(token);
  });
}

}  // namespace

void draw_shared_noises(const DrawArguments& task) {
  const CounterRandom random(task.seed, RandomPurpose::kNoise);
  std::int32_t* noises = task.shared_words + task.shape.shared_candidates + 1;
  for (std::int64_t j = 0; j < task.shape.shared_noises; ++j) {
    noises[j] = draw_word(task.law, 0, random, draw_example(*task.step, kSharedDraws),
                          static_cast<std::uint32_t>(j));
  }
}

void draw_token_noises(const DrawArguments& task) {
  const CounterRandom random(task.seed, RandomPurpose::kNoise);
  const ShortlistShape& shape = task.shape;
  for_each_token(shape.tokens, [&](std::int64_t token) {
    const std::int64_t context = task.contexts == nullptr ? 0 : task.contexts[token];
    const std::uint64_t example = draw_example(*task.step, static_cast<std::uint64_t>(token));
    std::int32_t* noises =
        task.token_words + token * shape.token_words() + shape.token_candidates + 1;
    for (std::int64_t j = 0; j < shape.token_noises; ++j) {
      noises[j] = draw_word(task.law, static_cast<std::int32_t>(context), random, example,
                            static_cast<std::uint32_t>(j));
    }
  });
}

void draw_subset_candidates(const SubsetArguments& task) {
  const CounterRandom random(task.seed, RandomPurpose::kCandidates);
  for_each_token(task.shape.tokens, [&](std::int64_t token) {
    draw_from_subset(task.subsets, task.chosen[token], task.shape.token_candidates, random,
                     draw_example(*task.step, static_cast<std::uint64_t>(token)),
                     task.token_words + token * task.shape.token_words());
  });
}

std::int64_t collect_batch_words(const BatchWordArguments& task) {
  std::int64_t count = 0;
  for (std::int64_t token = 0; token < task.tokens; ++token) {
    const std::int64_t word = task.labels[token];
    std::int32_t& column = task.column_of_word[word];
    if (column < task.first_column) continue;
    if (column == kNoColumn) {
      task.words[count] = static_cast<std::int32_t>(word);
      task.visible_after[count] = static_cast<std::int32_t>(token);
      column = task.first_column + static_cast<std::int32_t>(count++);
      continue;
    }
    std::int32_t& after = task.visible_after[column - task.first_column];
    if (after >= 0 && after % task.streams != token % task.streams) after = kSeenByAll;
  }
  return count;
}

void forget_batch_words(const BatchWordArguments& task, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) task.column_of_word[task.words[i]] = kNoColumn;
}

void assemble(const AssembleArguments& task) {
  for_each_token(task.candidates.shape.tokens,
                 [&](std::int64_t token) { assemble_token(task, token, SerialLanes{}); });
  if (task.covered == nullptr) return;
  for (std::int64_t token = 0; token < task.candidates.shape.tokens; ++token) {
    task.covered[0] += is_covered(task, token) ? 1 : 0;
  }
  task.covered[1] += task.candidates.shape.tokens;
}

void assemble_labels(const AssembleArguments& task, bool excludes_label) {
  for_each_token(task.candidates.shape.tokens, [&](std::int64_t token) {
    assemble_label(task, excludes_label, token, SerialLanes{});
  });
}

void objective(Method kind, std::uint32_t words, const ObjectiveArguments& task) {
  const ShortlistShape& shape = task.candidates.shape;
  const auto row = [&](std::int64_t token) { return task.scores + token * shape.stride(); };
  if (row_of(kind).has_candidates) {
    for_each_token(shape.tokens, [&](std::int64_t token) {
      candidates_objective(task, token, row(token), SerialLanes{});
    });
    return;
  }
  with_objective(kind, words, [&](const auto& functor) {
    for_each_token(shape.tokens, [&](std::int64_t token) {
      label_objective(functor, task, token, row(token), SerialLanes{});
    });
  });
}

}  // namespace cane::lm::cpu
