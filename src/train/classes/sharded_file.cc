#include "train/classes/sharded_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cane/error.h"
#include "model/model_file.h"
#include "train/checkpoint.h"

namespace cane {
namespace {

constexpr const char* kShardsEntry = "cane.shards";

template <typename Archive, typename Count>
void describe_shards(Archive& archive, Count& shards) {
  archive.fields(kShardsEntry, [&](auto& fields) { fields("count", shards); });
}

/// What an archive is told of the weights: those of classes are null, and only their names and
/// sizes are asked for.
WeightViews views_of(std::span<const SplitTensor> weights) {
  WeightViews views;
  for (const SplitTensor& tensor : weights) views.emplace_back(tensor.common.data());
  return views;
}

/// The place in the training as one process stores it: with the rates of all tables.
TrainState whole_place(std::size_t whole, const ShardTables& tables, const ShardedState& state) {
  TrainState place;
  place.loop = state.common.loop;
  place.next_batch = state.common.next_batch;
  place.totals = state.common.totals;
  place.rate_scales.resize(whole, 1.0F);
  const auto put = [&](const TablePart& part, const TrainState& from) {
    for (std::size_t i = 0; i < part.whole.size(); ++i) {
      place.rate_scales[part.whole[i]] = from.rate_scales[i];
    }
  };
  put(tables.common, state.common);
  put(tables.of_shards.front(), state.shards.front());
  return place;
}

void set_place(const TrainState& place, const ShardTables& tables, ShardedState& state) {
  state.common.loop = place.loop;
  state.common.next_batch = place.next_batch;
  state.common.totals = place.totals;
  const auto take = [&](const TablePart& part, TrainState& to) {
    for (std::size_t i = 0; i < part.whole.size(); ++i) {
      to.rate_scales[i] = place.rate_scales[part.whole[i]];
    }
  };
  take(tables.common, state.common);
  for (TrainState& shard : state.shards) take(tables.of_shards.front(), shard);
}

WeightTables zeros(const TablePart& part) {
  WeightTables tables;
  for (const ParameterTable& table : part.tables) tables.emplace_back(table.layout.size());
  return tables;
}

WeightTables copies(const WeightTables& weights) {
  WeightTables made;
  for (const auto& table : weights) {
    std::ranges::copy(table.span(), made.emplace_back(table.size()).data());
  }
  return made;
}

}  // namespace

BestShards weights_of(const ShardedState& state) {
  BestShards best = {copies(state.common.weights), {}};
  for (const TrainState& shard : state.shards) best.shards.push_back(copies(shard.weights));
  return best;
}

void write_sharded_model(const std::string& path, ModelData model, const ShardTables& tables,
                         ShardedState& state, BestShards& best, Communicator& ranks) {
  const std::vector<SplitTensor> weights = best.is_empty()
                                               ? split_weights(model.tables, tables, state)
                                               : split_weights(model.tables, tables, best);
  model.weights = views_of(weights);
  ArchiveWriter archive;
  write_model(archive, model, false);
  write_shared_safetensors(path, shared_tensors(archive.tensors(), weights, tables, ranks),
                           archive.metadata(), ranks);
}

void write_sharded_checkpoint(CheckpointWriter& writer, ModelData model, const ShardTables& tables,
                              ShardedState& state, BestShards& best, std::uint64_t data_print,
                              Communicator& ranks) {
  std::vector<SplitTensor> split = split_weights(model.tables, tables, state);
  model.weights = views_of(split);
  model.epochs_trained = state.common.loop.epoch;
  ArchiveWriter archive;
  write_model(archive, model, true);
  TrainState place = whole_place(model.tables.size(), tables, state);
  write_place(archive, place, data_print);
  const std::uint32_t shards = tables.shards.count();
  describe_shards(archive, shards);
  for (SplitTensor& tensor : split_progress(model, tables, state, best)) {
    archive.view(tensor.name, std::span<const float>(tensor.common.data(), tensor.size));
    split.push_back(std::move(tensor));
  }
  const std::vector<SharedTensor> shared = shared_tensors(archive.tensors(), split, tables, ranks);
  std::uint64_t bytes = 0;
  for (const TensorToWrite& tensor : archive.tensors()) bytes += tensor.bytes.size();
  writer.write(bytes, [&](const std::string& path) {
    write_shared_safetensors(path, shared, archive.metadata(), ranks);
  });
}

std::uint64_t sharded_bytes(const ModelData& model, const BestShards& best) {
  std::uint64_t bytes = 0;
  for (std::size_t table = 0; table < model.tables.size(); ++table) {
    const BlockLayout& layout = model.tables[table].layout;
    bytes += (best.is_empty() ? 1 : 2) * layout.size() * sizeof(float);
    bytes += optimizer_bytes(optimizer_of(table, model.tables, model.config), layout);
  }
  return bytes;
}

std::uint32_t checkpoint_shards(const std::string& path) {
  const SafetensorsFile file(path);
  if (!file.metadata().contains(kShardsEntry)) return 0;
  std::uint32_t shards = 0;
  ArchiveReader archive(file);
  describe_shards(archive, shards);
  return shards;
}

ShardedCheckpoint read_sharded_checkpoint(const std::string& path, std::uint64_t data_print,
                                          const Communicator& ranks) {
  const SafetensorsFile file(path);
  check_is_checkpoint(file);
  if (!file.metadata().contains(kShardsEntry)) {
    throw Error(
        fmt::format("{}: its classes were not shared out; resume it with `parallel data`", path));
  }
  ArchiveReader archive(file);
  ModelData model = read_model(archive);
  std::uint32_t shards = 0;
  describe_shards(archive, shards);
  if (!ClassShards::is_count(shards)) throw_damaged(file, "its number of shards is out of range");
  if (shards < static_cast<std::uint32_t>(ranks.ranks())) {
    throw Error(fmt::format(
        "{}: its classes are in {} shards, too few for {} ranks; resume it on {} ranks or fewer",
        path, shards, ranks.ranks(), shards));
  }
  const ClassShards all(static_cast<std::uint32_t>(model.class_counts.size()), shards);
  ShardTables tables(model.tables, model.config, all,
                     shards_of_rank(shards, ranks.rank(), ranks.ranks()));
  ShardedState state = make_sharded_state(tables, model.config);
  TrainState place;
  read_place(archive, model, data_print, place);
  set_place(place, tables, state);
  BestShards best;
  if (file.has(best_tensor(model.tables.front()))) {
    best.common = zeros(tables.common);
    for (const TablePart& part : tables.of_shards) best.shards.push_back(zeros(part));
  }
  for (const SplitTensor& tensor : split_weights(model.tables, tables, state)) {
    read_split(file, tables, tensor);
  }
  for (const SplitTensor& tensor : split_progress(model, tables, state, best)) {
    read_split(file, tables, tensor);
  }
  model.weights.clear();
  model.storage.reset();
  model.file.reset();
  return {std::move(model), std::move(tables), std::move(state), std::move(best)};
}

}  // namespace cane
