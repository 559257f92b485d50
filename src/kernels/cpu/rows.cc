#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>

#include "kernels/cpu/instruction_sets.h"
#include "kernels/cpu/kernels.h"

namespace cane::kernels::cpu {
namespace {

constexpr std::int64_t kExamplesPerThread = 16;

CANE_CLONES float dot(const float* a, const float* b, std::int64_t width) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < width; ++i) sum += a[i] * b[i];
  return sum;
}

CANE_CLONES float dot(const float* a, const std::uint16_t* b, std::int64_t width) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < width; ++i) sum += a[i] * Numbers::widened(b[i]);
  return sum;
}

float dot(const float* a, Numbers b, std::int64_t width) {
  return b.floats != nullptr ? dot(a, b.floats, width) : dot(a, b.bfloats, width);
}

CANE_CLONES void add_scaled(float scale, const float* a, float* sum, std::int64_t width) {
#pragma omp simd
  for (std::int64_t i = 0; i < width; ++i) sum[i] += scale * a[i];
}

CANE_CLONES void add_scaled(float scale, const std::uint16_t* a, float* sum, std::int64_t width) {
#pragma omp simd
  for (std::int64_t i = 0; i < width; ++i) sum[i] += scale * Numbers::widened(a[i]);
}

void add_scaled(float scale, Numbers a, float* sum, std::int64_t width) {
  if (a.floats != nullptr) {
    add_scaled(scale, a.floats, sum, width);
  } else {
    add_scaled(scale, a.bfloats, sum, width);
  }
}

}  // namespace

void gather_dot(const GatherArguments& task) {
  const ShortlistShape& shape = task.shape;
  at::parallel_for(
      0, shape.examples, kExamplesPerThread, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t example = begin; example < end; ++example) {
          const std::int32_t* classes = task.own_classes + example * shape.own_classes();
          float* scores = task.scores + example * shape.stride();
          for (std::int64_t place = 0; place < shape.own_classes(); ++place) {
            const std::int64_t id = classes[place];
            scores[shape.column_of_own(place)] =
                id == kNoClass ? -std::numeric_limits<float>::infinity()
                               : task.bias[id] + dot(task.hidden + example * task.width,
                                                     task.weight + id * task.width, task.width);
          }
        }
      });
}

void gather_back(const GatherArguments& task) {
  const ShortlistShape& shape = task.shape;
  at::parallel_for(
      0, shape.examples, kExamplesPerThread, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t example = begin; example < end; ++example) {
          const std::int32_t* classes = task.own_classes + example * shape.own_classes();
          const float* gradient = task.scores + example * shape.stride();
          for (std::int64_t place = 0; place < shape.own_classes(); ++place) {
            if (classes[place] == kNoClass) continue;
            add_scaled(gradient[shape.column_of_own(place)],
                       task.weight + classes[place] * task.width,
                       task.hidden_gradient + example * task.width, task.width);
          }
        }
      });
}

ClassGroups group_classes(const std::int32_t* classes, std::int64_t count, std::int64_t bound) {
  // All zero between calls, so that a call costs nothing for classes that it does not see.
  thread_local std::vector<std::int64_t> ends;
  if (static_cast<std::int64_t>(ends.size()) < bound) {
    ends.resize(static_cast<std::size_t>(bound), 0);
  }
  const auto end_of = [&](std::int64_t id) -> std::int64_t& {
    return ends[static_cast<std::size_t>(id)];
  };
  ClassGroups groups;
  for (std::int64_t i = 0; i < count; ++i) {
    if (classes[i] == kNoClass) continue;
    if (end_of(classes[i])++ == 0) groups.rows.push_back(classes[i]);
  }
  groups.offsets.reserve(groups.rows.size() + 1);
  std::int64_t total = 0;
  for (const std::int64_t id : groups.rows) {
    groups.offsets.push_back(total);
    const std::int64_t size = end_of(id);
    end_of(id) = total;
    total += size;
  }
  groups.offsets.push_back(total);
  groups.entries.resize(static_cast<std::size_t>(total));
  for (std::int64_t i = 0; i < count; ++i) {
    if (classes[i] != kNoClass) groups.entries[static_cast<std::size_t>(end_of(classes[i])++)] = i;
  }
  for (const std::int64_t id : groups.rows) end_of(id) = 0;
  return groups;
}

void widen(const WidenArguments& task) {
  at::parallel_for(0, task.count, kExamplesPerThread, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t c = 0; c < task.wide; ++c) {
        task.out[i * task.wide + c] = widened_number(task, i, c);
      }
    }
  });
}

ClassGroups group_classes(const RowSumArguments& task) {
  std::vector<std::int32_t> classes(task.shared_classes, task.shared_classes + task.shared);
  classes.insert(classes.end(), task.own_classes, task.own_classes + task.own_entries());
  return group_classes(classes.data(), static_cast<std::int64_t>(classes.size()), task.classes);
}

void sum_rows(const RowSumArguments& task, const ClassGroups& groups, float* values) {
  const auto count = static_cast<std::int64_t>(groups.rows.size());
  at::parallel_for(0, count, kExamplesPerThread, [&](std::int64_t begin, std::int64_t end) {
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

// Calls body(class, score) for every place of an example that holds a class.
template <typename Body>
void for_each_class(const PathArguments& task, std::int64_t example, const Body& body) {
  const ShortlistShape& shape = task.shape;
  float* scores = task.scores + example * shape.stride();
  const std::int32_t* own = task.own_classes + example * shape.own_classes();
  for (std::int64_t place = 0; place < shape.own_classes(); ++place) {
    if (own[place] != kNoClass) body(own[place], scores[shape.column_of_own(place)]);
  }
  for (std::int64_t s = 0; s < shape.shared_classes(); ++s) {
    const std::int64_t column = shape.first_shared_column() + s;
    if (column == shape.label_column() || task.shared_classes[s] == kNoClass) continue;
    body(task.shared_classes[s], scores[column]);
  }
}

}  // namespace

void add_path_scores(const PathArguments& task) {
  at::parallel_for(0, task.shape.examples, kExamplesPerThread,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t example = begin; example < end; ++example) {
                       const float* subset_scores = task.subset_scores + example * task.subsets;
                       for_each_class(task, example, [&](std::int32_t id, float& score) {
                         score += subset_scores[task.subset_of_class[id]];
                       });
                     }
                   });
}

void sum_path_gradients(const PathArguments& task) {
  at::parallel_for(0, task.shape.examples, kExamplesPerThread,
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t example = begin; example < end; ++example) {
                       float* gradient = task.subset_scores + example * task.subsets;
                       std::fill_n(gradient, task.subsets, 0.0F);
                       for_each_class(task, example, [&](std::int32_t id, float score) {
                         gradient[task.subset_of_class[id]] += score;
                       });
                     }
                   });
}

}  // namespace cane::kernels::cpu
