#include "engine/memory_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cane/error.h"
#include "core/base/memory.h"
#include "data/text/block_reader.h"
#include "engine/method.h"
#include "engine/start_guard.h"
#include "methods/device.h"
#include "search/candidate_memory.h"
#include "search/centroid_index.h"
#include "step/class_shards.h"
#include "train/clusters/principal_directions.h"
#include "train/device/row_feed.h"
#include "train/shuffle.h"
#include "train/start/measure_whitening.h"
#include "train/train_state.h"

namespace cane {
namespace {

// Memory of the program without any data: code, libraries, and their buffers.
constexpr std::uint64_t kProgramBytes = std::uint64_t{8} << 20;
// What the driver of a device and its libraries take of the host's memory, measured with CUDA 13.
constexpr std::uint64_t kDriverBytes = std::uint64_t{340} << 20;
// Copies held at once: in the data, in the model, and in the copy being saved.
constexpr std::uint64_t kCopiesOfNames = 3;
// Further copies where examples are held out: in them, and in the rest.
constexpr std::uint64_t kCopiesOfParts = 2;

std::uint64_t bytes_of(const std::vector<std::string>& names) {
  static const std::size_t within = std::string().capacity();
  constexpr std::uint64_t kAllocation = 16;
  std::uint64_t bytes = names.size() * sizeof(std::string);
  for (const std::string& name : names) {
    if (name.size() > within) bytes += name.size() + kAllocation;
  }
  return bytes;
}

std::uint64_t bytes_of(const Vocabulary& vocabulary) {
  return bytes_of(vocabulary.labels) + bytes_of(vocabulary.words) +
         vocabulary.ngram_hashes.size() * sizeof(std::uint64_t) +
         vocabulary.factors.size() * sizeof(float);
}

// If the data is mapped and large, a window of it is copied, together with its row positions; the
// classes stay in memory.
std::uint64_t resident_bytes(const DatasetView& data) {
  const std::uint64_t bytes = data.stored_bytes();
  if (!wants_windows(data)) return bytes;
  const std::uint64_t always = data.size() * (sizeof(ClassId) + sizeof(std::uint64_t));
  return always + ShuffleLimits{}.window_bytes;
}

// Blocks that are parsed in parallel, as text and then as columns. NumPy files and caches are only
// mapped.
std::uint64_t reading_bytes(const DatasetView& data, int threads) {
  if (data.is_mapped()) return 0;
  const std::uint64_t round =
      2 * static_cast<std::uint64_t>(threads) * 3 * BlockLimits{}.block_bytes;
  return std::min(data.stored_bytes(), round);
}

std::uint64_t directions_bytes(const DatasetView& data, const ModelData& model) {
  return has_projection(model.config)
             ? principal_directions_bytes(data.dimension(), model.config.rank)
             : 0;
}

std::uint64_t centre_bytes(const DatasetView& data, const ModelData& model, int threads) {
  const std::uint64_t classes = model.vocabulary.labels.size();
  const std::uint64_t cells = classes * data.dimension();
  const std::uint64_t lists = data.size() * sizeof(std::uint64_t);
  constexpr std::uint64_t kAccumulator = 2 * sizeof(double) + 2 * sizeof(float);
  const std::uint64_t sums = static_cast<std::uint64_t>(threads) * data.dimension() * kAccumulator;
  const std::uint64_t directions = directions_bytes(data, model);
  if (data.is_dense()) return cells * sizeof(float) + lists + sums + directions;
  return std::min(cells, data.stored_values()) * (sizeof(float) + sizeof(FeatureId)) + lists +
         sums + directions;
}

// Memory per example of a batch: its row, if it is expanded to dense, and the scores of the classes
// and nodes it visits, once in the search and once for the gradient.
std::uint64_t floats_per_example(const DatasetView& data, const ModelData& model) {
  const TrainConfig& config = model.config;
  const std::uint64_t classes = model.vocabulary.labels.size();
  const MethodRow& method = row_of(config.method);
  const SelectorRow& selector = row_of(config.select);
  const bool is_dense = data.is_dense() || selector.indexes_tree;
  std::uint64_t floats = is_dense ? 2 * std::uint64_t{data.dimension()} : 0;
  floats += (method.trains_all_classes ? 1 : selector.floats_per_class) * classes;
  if (shares_lists(config)) floats += std::uint64_t{config.candidates} + config.noises;
  if (uses_tree(config)) {
    const std::uint64_t pairs =
        std::uint64_t{2} * (config.beam + config.noises) * model.tree.depth();
    const std::size_t searched = uses_proposal(config) ? proposal_table(config) : kClassTable;
    floats += pairs * model.tables[searched].layout.widest_stride();
  }
  return floats;
}

bool is_synchronous(const ModelData& model, const DatasetView& data) {
  return model.config.deterministic || shares_lists(model.config) ||
         (row_of(model.config.method).trains_all_classes && data.is_dense());
}

}  // namespace

TrainEstimate estimate_memory(const LoadedData& loaded, const ModelData& model, int threads,
                              const LoadedData* validation) {
  const DatasetView& data = loaded.view;
  const TrainConfig& config = model.config;
  TrainEstimate estimate;
  estimate.free_bytes = available_memory();
  estimate.program_bytes = kProgramBytes + (trains_on_device(config) ? kDriverBytes : 0);
  estimate.data_bytes =
      resident_bytes(data) + (validation != nullptr ? resident_bytes(validation->view) : 0);
  estimate.reading_bytes = reading_bytes(data, threads);
  const bool is_guarded = validation == nullptr && StartGuard::applies(config, data);
  estimate.names_bytes = (kCopiesOfNames + (is_guarded              ? kCopiesOfParts
                                            : validation != nullptr ? 1
                                                                    : 0)) *
                         bytes_of(model.vocabulary);
  estimate.model_bytes = total_size(model.tables) * sizeof(float);
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    estimate.optimizer_bytes +=
        optimizer_bytes(optimizer_of(table, model.tables, config), model.tables[table].layout);
  }
  if ((config.start == StartKind::kMeans || uses_proposal(config)) && !has_encoder(config)) {
    estimate.start_bytes = centre_bytes(data, model, threads);
  }
  if (whitens(config, data.density())) {
    // Its sample needs the means.
    estimate.start_bytes = centre_bytes(data, model, threads) + whitening_bytes(data.dimension());
  }
  const std::uint64_t batches =
      is_synchronous(model, data) ? 1 : static_cast<std::uint64_t>(threads);
  estimate.workspace_bytes =
      data.size() * sizeof(std::uint32_t) +
      (trains_on_device(config)
           ? kKeptAtOnce  // on a device rows only pass through the memory of the host
           : batches * config.batch * floats_per_example(data, model) * sizeof(float));
  if (shares_lists(config) && !trains_on_device(config)) {
    estimate.workspace_bytes += (std::uint64_t{config.candidates} + config.noises) *
                                model.tables[kClassTable].layout.pitch() * sizeof(float);
  }
  if (whitens(config, data.density())) {
    estimate.workspace_bytes +=
        (Whitening::size(data.dimension()) + config.batch * std::uint64_t{data.dimension()}) *
        sizeof(float);
  }
  if (config.reuse > 1) {
    estimate.workspace_bytes += CandidateMemory::bytes(data.size(), config.beam);
  }
  if (indexes_tree(config)) {
    estimate.workspace_bytes +=
        CentroidIndex::bytes(model.tree, model.tables[kClassTable].layout.dimension());
  }
  if (validation != nullptr && config.keep_best) estimate.workspace_bytes += estimate.model_bytes;
  return estimate;
}

TrainEstimate estimate_class_memory(const LoadedData& loaded, const ModelData& model, int threads,
                                    bool keeps_best, int ranks) {
  const TrainConfig& config = model.config;
  const DatasetView& data = loaded.view;
  const std::uint64_t shards = ClassShards::count_for(ranks);
  const std::uint64_t own =
      (shards + static_cast<std::uint64_t>(ranks) - 1) / static_cast<std::uint64_t>(ranks);
  const auto share = [&](std::uint64_t bytes) { return bytes * own / shards; };
  const std::uint64_t classes = model.class_counts.size();
  TrainEstimate estimate = estimate_memory(loaded, model, threads);
  const BlockLayout& rows = model.tables[kClassTable].layout;
  const std::uint64_t weights = rows.size() * sizeof(float);
  const std::uint64_t sums = optimizer_bytes(optimizer_of(kClassTable, model.tables, config), rows);
  estimate.model_bytes -= weights - share(weights);
  estimate.optimizer_bytes -= sums - share(sums);
  // The means of one shard at a time; the lists of the examples of its classes, and their labels.
  const std::uint64_t cells = classes / shards * data.dimension();
  const std::uint64_t means =
      data.is_dense() ? cells * sizeof(float)
                      : std::min(cells, data.stored_values()) * (sizeof(float) + sizeof(FeatureId));
  const std::uint64_t lists = data.size() * (sizeof(std::uint64_t) + sizeof(ClassId));
  estimate.start_bytes = has_encoder(config) ? 0 : means + lists;
  // Lists and the law of their noises know every class: its place, its owners, where it is drawn.
  constexpr std::uint64_t kListed = 12 * sizeof(std::uint32_t);
  estimate.workspace_bytes += classes * kListed;
  // A list of all classes has a part of them here; what a rank has of a shorter one may be all.
  if (row_of(config.method).trains_all_classes) {
    const std::uint64_t scores = std::uint64_t{config.batch} * classes * sizeof(float);
    estimate.workspace_bytes -= scores - share(scores);
  }
  if (keeps_best && config.keep_best) estimate.workspace_bytes += estimate.model_bytes;
  return estimate;
}

std::uint64_t estimate_pilot(const LoadedData& data, const ModelData& model,
                             const TrainEstimate& training, std::size_t classes, int threads) {
  if (classes == 0) return 0;
  const double share =
      static_cast<double>(classes) / static_cast<double>(model.vocabulary.labels.size());
  std::uint64_t shared = 0;  // what a replica has of the same size
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    const bool is_of_classes = table == kClassTable || table == proposal_table(model.config);
    if (!is_of_classes) shared += model.tables[table].layout.size() * sizeof(float);
  }
  const auto of_classes = static_cast<double>(training.model_bytes - shared) * share;
  const auto sums = static_cast<double>(training.optimizer_bytes) * share;
  const std::uint64_t names = bytes_of(model.vocabulary);
  constexpr std::uint64_t kRatesAtOnce = 2;
  const auto at_once = std::min(static_cast<std::uint64_t>(threads), kRatesAtOnce);
  const std::uint64_t of_trial = static_cast<std::uint64_t>(of_classes + sums) + shared +
                                 directions_bytes(data.view, model) + (kCopiesOfParts + 1) * names;
  return at_once * of_trial + 2 * kCopiesOfParts * names;
}

void check_options_fit(const TrainConfig& config, FeatureId dimension, int threads) {
  if (config.nodes > 0) {
    const double width = encoded_dimension(config, dimension) + 1.0;
    check_memory_of("nodes", config.nodes * width * sizeof(float));
  }
  // A class of a shortlist: its number, score, probability and gradient.
  constexpr double kBytesPerClass = 16.0;
  const double shortlists = (config.deterministic ? 1.0 : threads) * config.batch;
  check_memory_of("noises", shortlists * config.noises * kBytesPerClass);
  check_memory_of("candidates", shortlists * config.candidates * kBytesPerClass);
}

void check_memory(const TrainEstimate& estimate) {
  // Memory that is already resident no longer counts as free.
  const std::uint64_t needed = estimate.model_bytes + estimate.optimizer_bytes +
                               std::max(estimate.start_bytes, estimate.workspace_bytes);
  if (estimate.free_bytes == 0 || needed <= estimate.free_bytes) return;
  throw Error(fmt::format(
      "training needs {} more memory ({} for the weights), and {} are free; use fewer features "
      "(`min_count`, `hash_bits`), `optimizer sgd`, a smaller `batch`, or more machines that each "
      "have some of the classes (`parallel classes`)",
      bytes_as_text(needed), bytes_as_text(estimate.model_bytes),
      bytes_as_text(estimate.free_bytes)));
}

}  // namespace cane
