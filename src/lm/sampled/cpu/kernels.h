// The kernels of the sampled layers on the CPU. Results do not depend on the number of threads.
#pragma once

#include <vector>

#include "lm/sampled/plain/arguments.h"

namespace cane::lm::cpu {

void draw_shared_noises(const DrawArguments& task);
void draw_token_noises(const DrawArguments& task);
void draw_subset_candidates(const SubsetArguments& task);

/// Writes the words that are not fixed candidates without gaps, and returns their number.
std::int64_t collect_batch_words(const BatchWordArguments& task);
/// Reads the first `count` entries of `words`.
void forget_batch_words(const BatchWordArguments& task, std::int64_t count);

void assemble(const AssembleArguments& task);
void assemble_labels(const AssembleArguments& task, bool excludes_label);

/// In place: scores become d loss / d score.
void objective(Method kind, std::uint32_t words, const ObjectiveArguments& task);

void gather_dot(const GatherArguments& task);
void gather_back(const GatherArguments& task);
void add_path_scores(const PathArguments& task);
void sum_path_gradients(const PathArguments& task);

/// Places grouped by word: those of rows[i] are entries[offsets[i] .. offsets[i + 1]].
struct WordGroups {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> entries;
};
/// Groups `count` words, all below `vocabulary`; kNoWord is left out.
WordGroups group_words(const std::int32_t* words, std::int64_t count, std::int64_t vocabulary);

WordGroups group_words(const RowSumArguments& task);

/// Writes the sum over the entries of each group: values [groups, width].
void sum_rows(const RowSumArguments& task, const WordGroups& groups, float* values);

void widen(const WidenArguments& task);

}  // namespace cane::lm::cpu
