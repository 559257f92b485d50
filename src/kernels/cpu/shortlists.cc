#include <ATen/Parallel.h>

#include "kernels/cpu/kernels.h"

namespace cane::kernels::cpu {
namespace {

constexpr std::int64_t kExamplesPerThread = 16;

template <typename Body>
void for_each_example(std::int64_t examples, const Body& body) {
  at::parallel_for(0, examples, kExamplesPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t example = begin; example < end; ++example) body(example);
  });
}

}  // namespace

void draw_shared_noises(const DrawArguments& task) {
  const CounterRandom random(task.seed, RandomPurpose::kNoise);
  std::int32_t* noises = task.shared_classes + task.shape.shared_candidates + 1;
  for (std::int64_t j = 0; j < task.shape.shared_noises; ++j) {
    noises[j] = draw_class(task.law, 0, random, draw_key(*task.step, kSharedDraws),
                           static_cast<std::uint32_t>(j));
  }
}

void draw_own_noises(const DrawArguments& task) {
  const CounterRandom random(task.seed, RandomPurpose::kNoise);
  const ShortlistShape& shape = task.shape;
  for_each_example(shape.examples, [&](std::int64_t example) {
    const std::int64_t context = task.contexts == nullptr ? 0 : task.contexts[example];
    const std::uint64_t key = draw_key(*task.step, static_cast<std::uint64_t>(example));
    std::int32_t* noises =
        task.own_classes + example * shape.own_classes() + shape.own_candidates + 1;
    for (std::int64_t j = 0; j < shape.own_noises; ++j) {
      noises[j] = draw_class(task.law, static_cast<std::int32_t>(context), random, key,
                             static_cast<std::uint32_t>(j));
    }
  });
}

void draw_subset_candidates(const SubsetArguments& task) {
  const CounterRandom random(task.seed, RandomPurpose::kCandidates);
  for_each_example(task.shape.examples, [&](std::int64_t example) {
    draw_from_subset(task.subsets, task.chosen[example], task.shape.own_candidates, random,
                     draw_key(*task.step, static_cast<std::uint64_t>(example)),
                     task.own_classes + example * task.shape.own_classes());
  });
}

std::int64_t collect_batch_classes(const BatchClassArguments& task) {
  std::int64_t count = 0;
  for (std::int64_t example = 0; example < task.examples; ++example) {
    const std::int64_t id = task.labels[example];
    if (id < 0) continue;
    std::int32_t& column = task.column_of_class[id];
    if (column < task.first_column) continue;
    if (column == kNoColumn) {
      task.classes[count] = static_cast<std::int32_t>(id);
      task.visible_after[count] = static_cast<std::int32_t>(example);
      column = task.first_column + static_cast<std::int32_t>(count++);
      continue;
    }
    std::int32_t& after = task.visible_after[column - task.first_column];
    if (after >= 0 && after % task.streams != example % task.streams) after = kSeenByAll;
  }
  return count;
}

void forget_batch_classes(const BatchClassArguments& task, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) task.column_of_class[task.classes[i]] = kNoColumn;
}

void assemble(const AssembleArguments& task) {
  for_each_example(task.candidates.shape.examples,
                   [&](std::int64_t example) { assemble_example(task, example, SerialLanes{}); });
  if (task.covered == nullptr) return;
  for (std::int64_t example = 0; example < task.candidates.shape.examples; ++example) {
    task.covered[0] += is_covered(task, example) ? 1 : 0;
  }
  task.covered[1] += task.candidates.shape.examples;
}

void assemble_labels(const AssembleArguments& task, bool excludes_label) {
  for_each_example(task.candidates.shape.examples, [&](std::int64_t example) {
    assemble_label(task, excludes_label, example, SerialLanes{});
  });
}

void objective(Method kind, std::uint32_t classes, const ObjectiveArguments& task) {
  const ShortlistShape& shape = task.candidates.shape;
  const auto row = [&](std::int64_t example) { return task.scores + example * shape.stride(); };
  if (row_of(kind).has_candidates) {
    for_each_example(shape.examples, [&](std::int64_t example) {
      candidates_objective(task, example, row(example), SerialLanes{});
    });
    return;
  }
  with_objective(kind, classes, [&](const auto& functor) {
    for_each_example(shape.examples, [&](std::int64_t example) {
      label_objective(functor, task, example, row(example), SerialLanes{});
    });
  });
}

}  // namespace cane::kernels::cpu
