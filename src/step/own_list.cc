#include "step/own_list.h"

#include <algorithm>
#include <numeric>

namespace cane {

void OwnList::cut() {
  shares.clear();
  for (std::uint32_t first = 0; first < list.columns.size(); first += kTeamShare) {
    shares.push_back(first);
  }
  shares.push_back(static_cast<std::uint32_t>(list.columns.size()));
  shards = {0, static_cast<std::uint32_t>(shares.size() - 1)};
  entries.assign(list.entries.size(), 0);
  num_columns = list.columns.size();
  num_entries = list.entries.size();
}

void OwnList::take_columns(const BatchList& all, const ClassPart& part) {
  ends_.assign(part.own().count() + 1, 0);
  for (const ClassId k : all.columns) {
    if (part.has(k)) ++ends_[part.index_of(k) + 1];
  }
  std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
  shares.clear();
  shards.assign(1, 0);
  for (std::size_t shard = 0; shard + 1 < ends_.size(); ++shard) {
    for (std::uint32_t first = ends_[shard]; first < ends_[shard + 1]; first += kTeamShare) {
      shares.push_back(first);
    }
    shards.push_back(static_cast<std::uint32_t>(shares.size()));
  }
  shares.push_back(ends_.back());

  list.columns.resize(ends_.back());
  list.offsets.resize(ends_.back());
  places_.assign(all.columns.size(), BatchList::kNone);
  for (std::size_t column = 0; column < all.columns.size(); ++column) {
    const ClassId k = all.columns[column];
    if (!part.has(k)) continue;
    const std::uint32_t place = places_[column] = ends_[part.index_of(k)]++;
    list.columns[place] = part.row(k);
    list.offsets[place] = all.offsets[column];
  }
}

void OwnList::take(const BatchList& all, const ClassPart& part, bool lists_all) {
  if (!lists_all || places_.empty()) take_columns(all, part);
  list.shifts.clear();
  for (const auto& [example, column, by] : all.shifts) {
    if (places_[column] != BatchList::kNone) list.shifts.push_back({example, places_[column], by});
  }
  list.entries.clear();
  entries.clear();
  list.labels.assign(all.labels.begin(), all.labels.end());
  for (BatchList::Label& label : list.labels) {
    if (label.column != BatchList::kNone) {
      label.column = places_[label.column];
      continue;
    }
    const auto& [example, class_id, offset] = all.entries[label.entry];
    label.entry = BatchList::kNone;
    if (!part.has(class_id)) continue;
    label.entry = static_cast<std::uint32_t>(list.entries.size());
    entries.push_back(part.index_of(class_id));
    list.entries.push_back({example, part.row(class_id), offset});
  }
  list.covered = all.covered;
  num_columns = all.columns.size();
  num_entries = all.entries.size();
}

}  // namespace cane
