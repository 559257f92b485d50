#include "train/checkpoint/checkpoint.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/base/memory.h"
#include "model/model_file.h"
#include "model/shared_file.h"
#include "train/checkpoint/split_tensors.h"

namespace cane {
namespace {

constexpr const char* kEntry = "cane.checkpoint";
constexpr const char* kShardsEntry = "cane.shards";
// Prefixes to the name of the table.
const std::string kBeforePrefix = "before.";
const std::string kBestPrefix = "best.";

/// The position of training, without weights and optimiser state. `rate_scales`: of the tables of
/// the model; `best_accuracy` is negative if none was measured; `data_print` is the fingerprint of
/// the training data.
template <typename Archive, typename State>
void describe_progress(Archive& archive, State& state, std::vector<float>& rate_scales,
                       double& best_accuracy, DataPrint& data_print) {
  archive.fields(kEntry, [&](auto& fields) {
    if (fields.has("further")) fields("further", state.further);
    if (fields.has("accuracy_before")) fields("accuracy_before", state.accuracy_before);
    fields("epoch", state.loop.epoch);
    fields("next_batch", state.next_batch);
    fields("loss", state.totals.loss);
    fields("weight", state.totals.weight);
    fields("examples", state.totals.examples);
    fields("covered", state.totals.covered);
    fields("rows_scored", state.totals.rows_scored);
    fields("best_accuracy", best_accuracy);
    fields("best_epoch", state.loop.best_epoch);
    fields("seconds", state.loop.seconds);
    fields("rate_scales", rate_scales);
    fields("data", data_print.names);
    // Checkpoints of version 0.1 have no entry for this.
    if (fields.has("values")) fields("values", data_print.values);
  });
}

template <typename Archive, typename Count>
void describe_shards(Archive& archive, Count& shards) {
  archive.fields(kShardsEntry, [&](auto& fields) { fields("count", shards); });
}

std::vector<float> read_progress(ArchiveReader& archive, const ModelData& model,
                                 const DataPrint& data_print, TrainState& state) {
  const SafetensorsFile& file = archive.file();
  if (model.retired.rebuild_tree > 0) {
    throw Error(
        fmt::format("{}: it builds its tree again between epochs, which this version does not: "
                    "resume it with the version that began it, or train again without `resume`",
                    file.path()));
  }
  std::vector<float> rate_scales;
  double best_accuracy = -1.0;
  DataPrint stored;
  describe_progress(archive, state, rate_scales, best_accuracy, stored);
  const std::uint64_t batch = model.config.batch;
  const std::uint64_t batches =
      batch == 0 ? 0 : model.training_examples / batch + (model.training_examples % batch > 0);
  if (batch == 0 || state.next_batch > batches || state.loop.epoch > model.config.epochs ||
      state.loop.best_epoch > model.config.epochs || rate_scales.size() > model.tables.size()) {
    throw_damaged(file, "its place in the training is out of range");
  }
  if (best_accuracy >= 0.0) state.loop.best_score = best_accuracy;
  if (stored.names != data_print.names ||
      (stored.values != 0 && stored.values != data_print.values)) {
    throw Error(
        fmt::format("{}: it was made with other training data; `resume` needs the same "
                    "file and the same reading options",
                    file.path()));
  }
  rate_scales.resize(model.tables.size(), 1.0F);
  return rate_scales;
}

// Optional weights beside those of `model`.
template <typename Archive>
void describe_weights(Archive& archive, const std::string& name, std::size_t table,
                      std::size_t size, WeightTables& weights) {
  if (!archive.has_tensor(name, !weights.empty())) return;
  if constexpr (Archive::kReads) weights.emplace_back(size);
  archive.fill(name, weights[table].span());
}

/// Describes the optimiser states, the weights before and the best weights. The tables of `state`
/// must have their sizes.
template <typename Archive, typename Best>
void describe_tables(Archive& archive, const std::vector<ParameterTable>& tables, TrainState& state,
                     Best& best) {
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const std::string& name = tables[table].name;
    const auto optimizer = state.optimizers[table]->state();
    if (!optimizer.empty()) archive.fill(optimizer_tensor(tables[table]), optimizer);
    const std::size_t size = state.weights[table].size();
    describe_weights(archive, kBeforePrefix + name, table, size, state.before);
    describe_weights(archive, best_tensor(tables[table]), table, size, best.weights);
  }
}

/// The weights for an archive: those of classes are null, of which it needs only names and sizes.
WeightViews views_of_shared(const WeightTables& weights) {
  WeightViews views = views_of(weights);
  views[kClassTable] = WeightView(static_cast<const float*>(nullptr));
  return views;
}

void check_is_checkpoint(const SafetensorsFile& file) {
  if (file.metadata().contains(kQuantizedEntry)) {
    throw Error(
        fmt::format("{}: a quantized model cannot be trained further; train the one that it was "
                    "made from, and quantize that",
                    file.path()));
  }
  if (!file.metadata().contains(kEntry)) {
    throw Error(fmt::format("{}: this is no checkpoint; train without `resume`", file.path()));
  }
}

// Never 0. The same for any number of threads.
std::uint64_t print_of_values(const DatasetView& data, ThreadPool& pool) {
  constexpr std::size_t kRows = std::size_t{1} << 14;
  std::vector<std::uint64_t> prints((data.size() + kRows - 1) / kRows);
  const bool drops_pages = is_large(data.stored_bytes());
  pool.run(prints.size(), [&](std::size_t part, int) {
    const std::size_t end = std::min(data.size(), (part + 1) * kRows);
    std::vector<float> scratch(data.is_dense() ? data.dimension() : 0);
    std::uint64_t print = 0;
    for (std::size_t i = part * kRows; i < end; ++i) {
      const RowView row = data.row(i, scratch);
      if (row.indices != nullptr) {
        print = XXH3_64bits_withSeed(row.indices, row.count * sizeof(FeatureId), print);
      }
      print = XXH3_64bits_withSeed(row.values, row.count * sizeof(float), print);
    }
    prints[part] = print;
    if (drops_pages) data.drop_rows(part * kRows, end);
  });
  const auto weights = std::as_bytes(data.weights());
  const std::uint64_t seed = XXH3_64bits(weights.data(), weights.size());
  const auto all = std::as_bytes(std::span(prints));
  return std::max<std::uint64_t>(1, XXH3_64bits_withSeed(all.data(), all.size(), seed));
}

}  // namespace

DataPrint data_fingerprint(const DatasetView& data, const Vocabulary& vocabulary,
                           ThreadPool& pool) {
  std::uint64_t print = fingerprint(vocabulary);
  const std::uint64_t sizes[] = {data.size(), data.dimension(), data.stored_values()};
  print = XXH3_64bits_withSeed(sizes, sizeof sizes, print);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const ClassId label = data.label(i);
    print = XXH3_64bits_withSeed(&label, sizeof label, print);
  }
  return {print, print_of_values(data, pool)};
}

void write_checkpoint(CheckpointWriter& writer, CheckpointWriter::Mode mode, Checkpoint& run,
                      const DataPrint& data_print, Communicator& ranks) {
  auto& [given, state, best, shards] = run;
  ModelData model = given;
  std::vector<SplitTensor> split;
  if (shards) split = split_weights(*shards, state.weights);
  model.weights = shards ? views_of_shared(state.weights) : views_of(state.weights);
  model.method_state = state.method_state;
  model.epochs_trained = state.loop.epoch;
  ArchiveWriter archive;
  write_model(archive, model, true);
  std::vector<float> rate_scales = state.rate_scales;
  double best_accuracy = state.loop.best_score.value_or(-1.0);
  DataPrint stored = data_print;
  describe_progress(archive, state, rate_scales, best_accuracy, stored);
  if (shards) {
    const std::uint32_t count = shards->part.shards().count();
    describe_shards(archive, count);
    for (SplitTensor& tensor : split_progress(model, *shards, state, best)) {
      const float* const values = tensor.is_common() ? tensor.here.data() : nullptr;
      archive.view(tensor.name, std::span(values, tensor.size));
      split.push_back(std::move(tensor));
    }
  } else {
    describe_tables(archive, model.tables, state, best);
  }
  if (best.method_state != nullptr) best.method_state->write(archive, kBestPrefix, false);
  if (ranks.is_alone() && !shards) {
    writer.write(archive.tensors(), archive.metadata(), mode);
    return;
  }
  if (ranks.any(ranks.is_first() && !writer.finds_own())) return;
  const std::vector<SharedTensor> shared =
      shards ? shared_tensors(archive.tensors(), split, shards->part, ranks)
             : share_evenly(archive.tensors(), ranks);
  std::uint64_t bytes = 0;
  for (const TensorToWrite& tensor : archive.tensors()) bytes += tensor.bytes.size();
  writer.write(bytes, [&](const std::string& path) {
    write_shared_safetensors(path, shared, archive.metadata(), ranks);
  });
}

void write_sharded_model(const std::string& path, ModelData model, const ShardTables& shards,
                         WeightTables& weights, Communicator& ranks) {
  const std::vector<SplitTensor> split = split_weights(shards, weights);
  model.weights = views_of_shared(weights);
  ArchiveWriter archive;
  write_model(archive, model, false);
  write_shared_safetensors(path, shared_tensors(archive.tensors(), split, shards.part, ranks),
                           archive.metadata(), ranks);
}

std::uint64_t checkpoint_bytes(const ModelData& model, const TrainState& state, bool has_best) {
  std::uint64_t bytes = 0;
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    const BlockLayout& layout = model.tables[table].layout;
    bytes += (has_best ? 2 : 1) * layout.size() * sizeof(float);
    bytes += optimizer_bytes(optimizer_of(table, model.tables, model.config), layout);
  }
  for (const AlignedBuffer<float>& weights : state.before) bytes += weights.span().size_bytes();
  return bytes;
}

bool continues_training(const std::string& path) {
  const SafetensorsFile file(path);
  if (!file.metadata().contains(kEntry)) return false;
  const auto json = nlohmann::json::parse(file.metadata(kEntry), nullptr, false);
  return json.is_object() && json.value("further", false);
}

bool has_weights_before(const std::string& path) {
  return SafetensorsFile(path).has(kBeforePrefix + "weights");
}

std::uint32_t checkpoint_shards(const std::string& path) {
  const SafetensorsFile file(path);
  if (!file.metadata().contains(kShardsEntry)) return 0;
  std::uint32_t shards = 0;
  ArchiveReader archive(file);
  describe_shards(archive, shards);
  return shards;
}

Checkpoint read_checkpoint(const std::string& path, const DataPrint& data_print) {
  const SafetensorsFile file(path);
  check_is_checkpoint(file);
  ArchiveReader archive(file);
  Checkpoint checkpoint;
  checkpoint.model = read_model(archive);
  const ModelData& model = checkpoint.model;
  TrainState& state = checkpoint.state;
  state = make_train_state(model.tables, model.config);
  state.rate_scales = read_progress(archive, model, data_print, state);
  describe_tables(archive, model.tables, state, checkpoint.best);
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    std::ranges::copy(float_weights(model, table), state.weights[table].data());
  }
  const bool has_best = !checkpoint.best.weights.empty();
  if (has_best && checkpoint.best.weights.size() != model.tables.size()) {
    throw_damaged(file, "some of its best weights are missing");
  }
  if (!state.before.empty() && state.before.size() != model.tables.size()) {
    throw_damaged(file, "some of the weights that it began with are missing");
  }
  if (model.method_state != nullptr) {
    state.method_state = model.method_state->copy();
    checkpoint.model.method_state = state.method_state;
    if (has_best) {
      const auto best = make_method_state(model.config);
      best->read(archive, kBestPrefix, model.config,
                 static_cast<std::uint32_t>(model.vocabulary.labels.size()));
      checkpoint.best.method_state = best;
    }
  }
  return checkpoint;
}

Checkpoint read_sharded_checkpoint(const std::string& path, const DataPrint& data_print,
                                   const Communicator& ranks) {
  const SafetensorsFile file(path);
  check_is_checkpoint(file);
  if (!file.metadata().contains(kShardsEntry)) {
    throw Error(
        fmt::format("{}: its classes were not shared out; resume it with `parallel data`", path));
  }
  ArchiveReader archive(file);
  Checkpoint checkpoint;
  auto& [model, state, best, shards] = checkpoint;
  model = read_model(archive);
  if (uses_proposal(model.config)) {
    throw Error(fmt::format(
        "{}: it shares out the classes of `select {}`, which this version trains with all classes "
        "on every rank: resume it with `parallel data`, or train again with `select none`",
        path, row_of(model.config.select).name));
  }
  std::uint32_t count = 0;
  describe_shards(archive, count);
  if (!ClassShards::is_count(count)) throw_damaged(file, "its number of shards is out of range");
  if (count < static_cast<std::uint32_t>(ranks.ranks())) {
    throw Error(fmt::format(
        "{}: its classes are in {} shards, too few for {} ranks; resume it on {} ranks or fewer",
        path, count, ranks.ranks(), count));
  }
  const ClassShards all(static_cast<std::uint32_t>(model.class_counts.size()), count);
  shards.emplace(model.tables, all, shards_of_rank(count, ranks.rank(), ranks.ranks()));
  state = make_train_state(shards->tables, model.config);
  state.rate_scales = read_progress(archive, model, data_print, state);
  if (file.has(best_tensor(model.tables.front()))) {
    for (const auto& table : state.weights) best.weights.emplace_back(table.size());
  }
  for (const SplitTensor& tensor : split_weights(*shards, state.weights)) {
    read_split(file, shards->part, tensor);
  }
  for (const SplitTensor& tensor : split_progress(model, *shards, state, best)) {
    read_split(file, shards->part, tensor);
  }
  model.weights.clear();
  model.storage.reset();
  model.file.reset();
  return checkpoint;
}

}  // namespace cane
