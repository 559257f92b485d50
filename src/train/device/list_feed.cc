#include "train/device/list_feed.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/base/random.h"

namespace cane {
namespace {

// Slots that a thread draws at once.
constexpr std::size_t kSlotsAtOnce = 512;

void add_shift(device::ListedExample& example, const BatchList::Shift& shift) {
  for (int i = 0; i < 2; ++i) {
    if (example.shift_columns[i] != device::kNone) continue;
    example.shift_columns[i] = shift.column;
    example.shifts[i] = shift.by;
    return;
  }
  throw std::logic_error("an example shifts the scores of more than two columns");
}

}  // namespace

ListFeed::ListFeed(SlotLaw law, const ListMaker::Rules& rules, std::uint32_t classes,
                   std::uint64_t seed)
    : law_(std::move(law)),
      maker_(law_, classes, rules),
      classes_(classes),
      seed_(seed),
      drawn_(maker_.slots()) {}

std::uint32_t ListFeed::most_columns(std::size_t batch) const {
  return maker_.lists_all() ? 0 : static_cast<std::uint32_t>(maker_.most_columns(batch));
}

StepStats ListFeed::fill(const DatasetView& data, const Batch& batch,
                         const device::BatchBuffer& buffer, device::StepOptions& options,
                         ThreadPool& pool) {
  const std::size_t count = batch.examples.size();
  make(data, batch, pool);
  StepStats stats = {.examples = count, .covered = list_.covered};
  for (std::size_t e = 0; e < count; ++e) {
    const BatchList::Label& label = list_.labels[e];
    buffer.examples[e] = {.number = batch.examples[e],
                          .weight = data.weight(batch.examples[e]),
                          .label = labels_[e],
                          .label_column = label.column,
                          .label_offset = label.offset};
    stats.weight += static_cast<double>(buffer.examples[e].weight);
  }
  for (const BatchList::Shift& shift : list_.shifts) {
    add_shift(buffer.examples[shift.example], shift);
  }
  std::ranges::copy(list_.columns, buffer.columns);
  std::ranges::copy(list_.offsets, buffer.offsets);
  for (std::size_t group = 0; group < entries_.size(); ++group) {
    buffer.entry_classes[group] = entries_.key(group);
    buffer.entry_begins[group] = static_cast<std::uint32_t>(entries_.start(group));
  }
  buffer.entry_begins[entries_.size()] = static_cast<std::uint32_t>(list_.entries.size());
  for (std::size_t i = 0; i < list_.entries.size(); ++i) {
    buffer.entry_examples[i] = list_.entries[entries_.items()[i]].example;
  }
  options.examples = static_cast<std::uint32_t>(count);
  options.columns = static_cast<std::uint32_t>(list_.columns.size());
  options.entry_classes = static_cast<std::uint32_t>(entries_.size());
  const std::uint64_t listed = maker_.lists_all() ? classes_ : list_.columns.size();
  stats.rows_scored = listed * count + list_.entries.size();
  return stats;
}

// Where all classes are listed, the label of an example is its column, and no column is written.
void ListFeed::make(const DatasetView& data, const Batch& batch, ThreadPool& pool) {
  labels_.clear();
  for (const std::uint32_t example : batch.examples) labels_.push_back(data.label(example));
  if (maker_.lists_all()) {
    list_.labels.clear();
    for (const ClassId label : labels_) list_.labels.push_back({label, BatchList::kNone, 0.0F});
    list_.covered = labels_.size();
    return;
  }
  const CounterRandom random(seed_, RandomPurpose::kSlots, batch.epoch);
  pool.run((drawn_.size() + kSlotsAtOnce - 1) / kSlotsAtOnce, [&](std::size_t piece, int) {
    const std::size_t end = std::min((piece + 1) * kSlotsAtOnce, drawn_.size());
    for (std::size_t slot = piece * kSlotsAtOnce; slot < end; ++slot) {
      drawn_[slot] = law_.draw(random, batch.number, static_cast<std::uint32_t>(slot));
    }
  });
  maker_.make(labels_, drawn_, list_);
  entries_.build(list_.entries.size(), classes_,
                 [&](std::size_t entry) { return list_.entries[entry].class_id; });
}

}  // namespace cane
