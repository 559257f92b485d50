#include "data/subset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "cane/error.h"
#include "core/base/random.h"
#include "core/base/random_permutation.h"

namespace cane {
namespace {

struct SubsetStorage {
  std::shared_ptr<const void> features;
  std::vector<std::uint64_t> rows;
  std::vector<ClassId> labels;
  std::vector<float> weights;
};

}  // namespace

LoadedData take_subset(const LoadedData& data, std::span<const std::uint32_t> examples) {
  if (examples.empty()) throw Error("a subset needs at least one example");
  const DatasetView& view = data.view;
  auto storage = std::make_shared<SubsetStorage>();
  storage->features = data.storage;
  storage->rows.reserve(examples.size());
  storage->labels.reserve(examples.size());
  if (view.has_weights()) storage->weights.reserve(examples.size());
  for (const std::uint32_t example : examples) {
    if (example >= view.size()) {
      throw Error(fmt::format("a subset asks for example {} of {}; they are counted from 0",
                              example, view.size()));
    }
    storage->rows.push_back(view.stored_row(example));
    storage->labels.push_back(view.label(example));
    if (view.has_weights()) storage->weights.push_back(view.weight(example));
  }
  const DatasetView part = view.with_rows(storage->rows, storage->labels, storage->weights);
  return {part, data.vocabulary, {}, std::move(storage), data.files};
}

SplitExamples split_examples(std::size_t size, double share, std::uint64_t seed) {
  if (!(share > 0.0 && share < 1.0)) {
    throw Error(fmt::format("a share of {} cannot be held out; give one between 0 and 1", share));
  }
  if (size < 2) throw Error("one example cannot be split; give two or more");
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("more than 4,294,967,295 examples cannot be split; use fewer");
  }
  const auto wanted = static_cast<std::size_t>(std::llround(static_cast<double>(size) * share));
  const std::size_t held_out = std::clamp<std::size_t>(wanted, 1, size - 1);
  const RandomPermutation place(size, CounterRandom(seed, RandomPurpose::kSplit));
  SplitExamples parts;
  parts.held_out.reserve(held_out);
  parts.rest.reserve(size - held_out);
  for (std::size_t example = 0; example < size; ++example) {
    (place(example) < held_out ? parts.held_out : parts.rest)
        .push_back(static_cast<std::uint32_t>(example));
  }
  return parts;
}

}  // namespace cane
