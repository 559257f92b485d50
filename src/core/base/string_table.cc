#include "core/base/string_table.h"

#include <xxhash.h>

#include <algorithm>

#include "cane/error.h"

namespace cane {
namespace {

std::uint32_t hash_of(std::string_view text) {
  return static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()));
}

}  // namespace

std::uint32_t StringTable::find(std::string_view text) const {
  if (slots_.empty()) return kNone;
  return slots_[slot_of(text, hash_of(text))];
}

std::uint32_t StringTable::find_or_add(std::string_view text) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(text);
  std::uint32_t& slot = slots_[slot_of(text, hash)];
  if (slot == kNone) {
    constexpr std::size_t kMax = std::size_t{1} << 31;
    if (entries_.size() >= kMax) {
      throw Error("more than 2^31 distinct words or labels; hash the words with `hash_bits`");
    }
    slot = size();
    entries_.push_back({bytes_.size(), static_cast<std::uint32_t>(text.size()), hash});
    bytes_.insert(bytes_.end(), text.begin(), text.end());
  }
  return slot;
}

std::size_t StringTable::slot_of(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != kNone) {
    const std::uint32_t id = slots_[slot];
    if (entries_[id].hash == hash && (*this)[id] == text) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void StringTable::grow() {
  const std::size_t size_now = slots_.size();
  slots_ = {};  // free the old slots before allocating the new ones
  slots_.assign(std::max<std::size_t>(16, 2 * size_now), kNone);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t id = 0; id < size(); ++id) {
    std::size_t slot = entries_[id].hash & mask;
    while (slots_[slot] != kNone) slot = (slot + 1) & mask;
    slots_[slot] = id;
  }
}

}  // namespace cane
