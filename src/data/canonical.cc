#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "data/subset.h"

namespace cane {
namespace {

// Larger data is shuffled by stretches of neighbours, which an order by content would tear apart.
constexpr std::uint64_t kMaxBytes = std::uint64_t{128} << 20;
// Copies cost time: where weights ask for more of them on average, they scale the steps instead.
constexpr double kMaxCopies = 8.0;
constexpr std::size_t kExamplesOfTask = 1024;

bool is_whole(float weight) {
  return weight == std::floor(weight);
}

/// Whether all weights are whole numbers that are few enough to be copies.
bool become_copies(const DatasetView& view) {
  const auto weights = view.weights();
  if (!std::ranges::all_of(weights, is_whole)) return false;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  return total <= kMaxCopies * static_cast<double>(view.size());
}

std::uint64_t hash_of(const DatasetView& view, std::size_t example, bool with_weight,
                      std::vector<float>& scratch) {
  const RowView row = view.row(example, scratch);
  std::uint64_t hash = XXH3_64bits(row.values, row.count * sizeof(float));
  if (row.indices != nullptr) {
    hash = XXH3_64bits_withSeed(row.indices, row.count * sizeof(FeatureId), hash);
  }
  const struct {
    ClassId label;
    float weight;
  } rest = {view.label(example), with_weight ? view.weight(example) : 1.0F};
  return XXH3_64bits_withSeed(&rest, sizeof rest, hash);
}

std::vector<std::uint64_t> hashes_of(const DatasetView& view, bool with_weight, ThreadPool& pool) {
  std::vector<std::uint64_t> hashes(view.size());
  pool.run((view.size() + kExamplesOfTask - 1) / kExamplesOfTask, [&](std::size_t task, int) {
    std::vector<float> scratch(view.is_dense() ? view.dimension() : 0);
    const std::size_t end = std::min(view.size(), (task + 1) * kExamplesOfTask);
    for (std::size_t example = task * kExamplesOfTask; example < end; ++example) {
      hashes[example] = hash_of(view, example, with_weight, scratch);
    }
  });
  return hashes;
}

LoadedData without_weights(LoadedData data) {
  data.view = data.view.with_weights({});
  return data;
}

}  // namespace

LoadedData canonical_order(const LoadedData& data, ThreadPool& pool) {
  const DatasetView& view = data.view;
  const bool may_move = !view.is_mapped() && view.stored_bytes() <= kMaxBytes;
  const bool copies = may_move && view.has_weights() && become_copies(view);
  const bool drops = std::ranges::find(view.weights(), 0.0F) != view.weights().end();
  if (!may_move && !drops) return data;
  std::vector<std::uint32_t> order;
  order.reserve(view.size());
  for (std::size_t example = 0; example < view.size(); ++example) {
    const float weight = view.weight(example);
    const std::size_t times = weight == 0.0F ? 0 : copies ? static_cast<std::size_t>(weight) : 1;
    order.insert(order.end(), times, static_cast<std::uint32_t>(example));
  }
  if (order.empty()) throw Error("no example has a weight above zero; there is nothing to learn");
  if (may_move) {
    const std::vector<std::uint64_t> hashes = hashes_of(view, view.has_weights() && !copies, pool);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t example) { return hashes[example]; });
  }
  LoadedData result = take_subset(data, order);
  result.report = data.report;
  return copies ? without_weights(std::move(result)) : result;
}

}  // namespace cane
