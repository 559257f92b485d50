#include <ATen/Parallel.h>

#include "kernels/cpu/instruction_sets.h"
#include "kernels/cpu/kernels.h"

namespace cane::kernels::cpu {
namespace {

constexpr std::int64_t kItemsPerThread = 16;

/// Calls body(first, second) for all pairs below these counts.
template <typename Body>
void for_each_pair(std::int64_t firsts, std::int64_t seconds, const Body& body) {
  at::parallel_for(0, firsts * seconds, kItemsPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i / seconds, i % seconds);
  });
}

// The functions of an example, for each instruction set.
CANE_CLONES void sum_one_block(const BlockArguments& task, std::int64_t block,
                               std::int64_t example) {
  sum_block(task, block, example);
}
CANE_CLONES void leave_out_one(const OutsideArguments& task, std::int64_t example,
                               std::int64_t place) {
  leave_out(task, example, place, SerialLanes{});
}
CANE_CLONES void draw_one(const ProposalNoiseArguments& task, std::int64_t example,
                          std::int64_t position) {
  draw_outside(task, example, position, SerialLanes{});
}

}  // namespace

void sum_blocks(const BlockArguments& task) {
  for_each_pair(
      task.proposal.blocks(), task.proposal.examples,
      [&](std::int64_t block, std::int64_t example) { sum_one_block(task, block, example); });
}

void leave_out_candidates(const OutsideArguments& task) {
  for_each_pair(
      task.proposal.examples, task.candidates.count,
      [&](std::int64_t example, std::int64_t place) { leave_out_one(task, example, place); });
}

void draw_proposal_noises(const ProposalNoiseArguments& task) {
  for_each_pair(
      task.proposal.examples, 1 + task.noises,
      [&](std::int64_t example, std::int64_t position) { draw_one(task, example, position); });
}

}  // namespace cane::kernels::cpu
