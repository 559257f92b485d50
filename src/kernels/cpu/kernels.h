// The kernels of the sampled layers on the CPU. Results do not depend on the number of threads.
#pragma once

#include <vector>

#include "kernels/plain/arguments.h"
#include "kernels/plain/proposal.h"

namespace cane::kernels::cpu {

void draw_shared_noises(const DrawArguments& task);
void draw_own_noises(const DrawArguments& task);
void draw_subset_candidates(const SubsetArguments& task);

/// Writes the classes that are not fixed candidates without gaps, and returns their number.
std::int64_t collect_batch_classes(const BatchClassArguments& task);
/// Reads the first `count` entries of `classes`.
void forget_batch_classes(const BatchClassArguments& task, std::int64_t count);

void assemble(const AssembleArguments& task);
void assemble_labels(const AssembleArguments& task, bool excludes_label);

/// In place: scores become d loss / d score.
void objective(Method kind, std::uint32_t classes, const ObjectiveArguments& task);

void gather_dot(const GatherArguments& task);
void gather_back(const GatherArguments& task);
void add_path_scores(const PathArguments& task);
void sum_path_gradients(const PathArguments& task);

/// Places grouped by class: the places of rows[i] are entries[offsets[i] .. offsets[i + 1]].
struct ClassGroups {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> entries;
};
/// Groups `count` classes, all below `bound`; kNoClass is left out.
ClassGroups group_classes(const std::int32_t* classes, std::int64_t count, std::int64_t bound);

ClassGroups group_classes(const RowSumArguments& task);

/// Writes the sum over the entries of each group: values [groups, width].
void sum_rows(const RowSumArguments& task, const ClassGroups& groups, float* values);

void widen(const WidenArguments& task);

void sum_blocks(const BlockArguments& task);
void leave_out_candidates(const OutsideArguments& task);
void draw_proposal_noises(const ProposalNoiseArguments& task);

}  // namespace cane::kernels::cpu
