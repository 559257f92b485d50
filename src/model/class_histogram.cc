#include "model/class_histogram.h"

#include <algorithm>

namespace cane {
namespace {

// So few are searched from end to end.
constexpr std::size_t kFewEntries = 8;

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

bool ClassHistogram::is_less_frequent(std::uint32_t a, std::uint32_t b) const {
  const ClassEntry& left = entries_[a];
  const ClassEntry& right = entries_[b];
  return left.count != right.count ? left.count < right.count : left.label > right.label;
}

void ClassHistogram::insert_top(std::uint32_t place) {
  const auto above = std::find_if(top_.begin(), top_.end(), [&](std::uint32_t other) {
    return entries_[other].label > entries_[place].label;
  });
  top_.insert(above, place);
}

bool ClassHistogram::is_top(ClassId label) const {
  return std::any_of(top_.begin(), top_.end(),
                     [&](std::uint32_t place) { return entries_[place].label == label; });
}

void ClassHistogram::add(ClassId label, double weight, std::size_t most) {
  ClassEntry& entry = at(label);
  entry.count += weight;
  if (most == 0) return;
  const auto place = static_cast<std::uint32_t>(&entry - entries_.data());
  std::size_t least = 0;
  for (std::size_t i = 0; i < top_.size(); ++i) {
    if (top_[i] == place) return;
    if (is_less_frequent(top_[i], top_[least])) least = i;
  }
  if (top_.size() == most) {
    if (is_less_frequent(place, top_[least])) return;
    top_.erase(top_.begin() + static_cast<std::ptrdiff_t>(least));
  }
  insert_top(place);
}

double ClassHistogram::top_mass() const {
  double mass = 0.0;
  for (const std::uint32_t place : top_) mass += entries_[place].count;
  return mass;
}

void ClassHistogram::rank(std::size_t most) {
  top_.resize(entries_.size());
  for (std::uint32_t place = 0; place < entries_.size(); ++place) top_[place] = place;
  const auto end = top_.begin() + static_cast<std::ptrdiff_t>(std::min(most, top_.size()));
  std::partial_sort(top_.begin(), end, top_.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return is_less_frequent(b, a); });
  top_.erase(end, top_.end());
  std::sort(top_.begin(), top_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return entries_[a].label < entries_[b].label;
  });
}

void ClassHistogram::clear() {
  entries_.clear();
  slots_.clear();
  top_.clear();
}

}  // namespace cane
