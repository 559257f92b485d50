#include "online/class_histogram.h"

#include <algorithm>

namespace cane {
namespace {

// Up to this many entries are searched linearly.
constexpr std::size_t kFewEntries = 8;

// Ties go to the lower class.
bool is_less_frequent(const ClassHistogram::Top& a, const ClassHistogram::Top& b) {
  return a.count != b.count ? a.count < b.count : a.label > b.label;
}

std::size_t hash(ClassId label) {
  return static_cast<std::size_t>((std::uint64_t{label} * 0x9E3779B97F4A7C15U) >> 32);
}

}  // namespace

ClassEntry* ClassHistogram::find(ClassId label) {
  if (slots_.empty()) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const ClassEntry& entry) { return entry.label == label; });
    return found == entries_.end() ? nullptr : &*found;
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash(label) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    ClassEntry& entry = entries_[slots_[slot] - 1];
    if (entry.label == label) return &entry;
  }
  return nullptr;
}

ClassEntry& ClassHistogram::at(ClassId label) {
  if (ClassEntry* found = find(label)) return *found;
  entries_.push_back({label});
  if (slots_.empty() ? entries_.size() > kFewEntries : 2 * entries_.size() > slots_.size()) {
    rehash();
  } else if (!slots_.empty()) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(label) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  }
  return entries_.back();
}

void ClassHistogram::rehash() {
  slots_.assign(std::max(4 * kFewEntries, 2 * slots_.size()), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t place = 0; place < entries_.size(); ++place) {
    std::size_t slot = hash(entries_[place].label) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = place + 1;
  }
}

void ClassHistogram::add(ClassId label, double weight, std::size_t most) {
  ClassEntry& entry = at(label);
  entry.count += weight;
  if (most == 0) return;
  const auto above =
      std::lower_bound(top_.begin(), top_.end(), label,
                       [](const Top& top, ClassId other) { return top.label < other; });
  if (above != top_.end() && above->label == label) {
    above->count = entry.count;
    return;
  }
  const Top added = {entry.count, label, static_cast<std::uint32_t>(&entry - entries_.data())};
  if (top_.size() < most) {
    top_.insert(above, added);
    return;
  }
  const auto least = std::min_element(top_.begin(), top_.end(), is_less_frequent);
  if (is_less_frequent(added, *least)) return;
  // The entries between the two positions shift by one.
  if (least < above) {
    std::move(least + 1, above, least);
    *(above - 1) = added;
  } else {
    std::move_backward(above, least, least + 1);
    *above = added;
  }
}

double ClassHistogram::top_mass() const {
  double mass = 0.0;
  for (const Top& top : top_) mass += top.count;
  return mass;
}

void ClassHistogram::rank(std::size_t most) {
  top_.clear();
  for (std::uint32_t place = 0; place < entries_.size(); ++place) {
    top_.push_back({entries_[place].count, entries_[place].label, place});
  }
  const auto end = top_.begin() + static_cast<std::ptrdiff_t>(std::min(most, top_.size()));
  std::partial_sort(top_.begin(), end, top_.end(),
                    [](const Top& a, const Top& b) { return is_less_frequent(b, a); });
  top_.erase(end, top_.end());
  std::sort(top_.begin(), top_.end(), [](const Top& a, const Top& b) { return a.label < b.label; });
}

void ClassHistogram::clear() {
  entries_.clear();
  slots_.clear();
  top_.clear();
}

}  // namespace cane
