#include "step/batch_list.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/noise/noise_source.h"
#include "core/noise/unigram_noise.h"

namespace cane {

ListMaker::ListMaker(const SlotLaw& law, std::uint32_t classes, const Rules& rules)
    : law_(law),
      rules_(rules),
      log_slots_(std::log(static_cast<float>(rules.slots))),
      place_(classes, BatchList::kNone) {
  for (std::uint32_t i = 0; i < rules_.shared.size(); ++i) place_[rules_.shared[i]] = i;
}

std::size_t ListMaker::most_columns(std::size_t examples) const {
  const std::size_t all = rules_.shared.size() + slots() + (rules_.shares_labels ? examples : 0);
  return std::min(all, place_.size());
}

void ListMaker::make(std::span<const ClassId> labels, std::span<const ClassId> drawn,
                     BatchList& list) {
  add_columns(labels, drawn, list);
  list.shifts.clear();
  list.entries.clear();
  list.labels.clear();
  list.covered = 0;
  for (std::uint32_t example = 0; example < labels.size(); ++example) {
    const std::uint32_t column = place_[labels[example]];
    if (column != BatchList::kNone && owners_[column] > 1) {
      ++list.covered;
      list.labels.push_back({column, BatchList::kNone, 0.0F});
    } else {
      take_slot(example, labels[example], drawn[example % drawn.size()], list);
    }
  }
  for (std::size_t i = rules_.shared.size(); i < list.columns.size(); ++i) {
    place_[list.columns[i]] = BatchList::kNone;
  }
}

// A shared column has more than one owner: it is there for every example.
void ListMaker::add_columns(std::span<const ClassId> labels, std::span<const ClassId> drawn,
                            BatchList& list) {
  const std::size_t fixed = rules_.shared.size();
  if (list.columns.empty()) list.columns = rules_.shared;
  list.columns.resize(fixed);
  times_.assign(fixed, 0);
  owners_.assign(fixed, 2);
  const auto column_of = [&](ClassId label) {
    std::uint32_t& place = place_[label];
    if (place == BatchList::kNone) {
      place = static_cast<std::uint32_t>(list.columns.size());
      list.columns.push_back(label);
      times_.push_back(0);
      owners_.push_back(0);
    }
    return place;
  };
  if (rules_.shares_labels) {
    for (const ClassId label : labels) ++owners_[column_of(label)];
  }
  for (const ClassId label : drawn) ++times_[column_of(label)];
  list.offsets.assign(fixed, 0.0F);
  for (std::size_t i = fixed; i < list.columns.size(); ++i) {
    list.offsets.push_back(owners_[i] > 0 ? 0.0F
                                          : std::log(static_cast<float>(times_[i])) - log_slots_ -
                                                law_.log_q(list.columns[i]));
  }
}

void ListMaker::take_slot(std::uint32_t example, ClassId label, ClassId taken,
                          BatchList& list) const {
  const std::uint32_t taken_column = place_[taken];
  const float alone = -log_slots_ - law_.log_q(label);
  // Slots of shared columns are dead; a label without another owner is not shared for its example.
  if (taken != label && owners_[taken_column] == 0) {
    const auto times = static_cast<float>(times_[taken_column]);
    const float by = times > 1.0F ? std::log((times - 1.0F) / times) : BatchList::kDead;
    list.shifts.push_back({example, taken_column, by});
  }
  const std::uint32_t column = place_[label];
  if (column == BatchList::kNone) {
    list.labels.push_back(
        {BatchList::kNone, static_cast<std::uint32_t>(list.entries.size()), alone});
    list.entries.push_back({example, label, alone});
    return;
  }
  const std::uint32_t times = times_[column] + (taken == label ? 0 : 1);
  const float offset = std::log(static_cast<float>(times)) + alone;
  list.shifts.push_back({example, column, offset - list.offsets[column]});
  list.labels.push_back({column, BatchList::kNone, offset});
}

SlotLaw::SlotLaw(std::span<const std::uint64_t> counts, float power,
                 std::span<const ClassId> excluded)
    : log_q_(counts.size()) {
  const std::vector<double> all = power_masses(counts, power);
  std::vector<double> masses;
  for (ClassId k = 0; k < all.size(); ++k) {
    if (std::ranges::binary_search(excluded, k)) continue;
    outside_.push_back(k);
    masses.push_back(all[k]);
  }
  if (outside_.empty()) return;
  const double total = std::reduce(masses.begin(), masses.end());
  const double floor = kNoiseFloor / static_cast<double>(masses.size());
  for (std::size_t i = 0; i < masses.size(); ++i) {
    masses[i] = (1.0 - kNoiseFloor) * masses[i] / total + floor;
    log_q_[outside_[i]] = static_cast<float>(std::log(masses[i]));
  }
  table_.emplace(masses, std::reduce(masses.begin(), masses.end()));
}

}  // namespace cane
