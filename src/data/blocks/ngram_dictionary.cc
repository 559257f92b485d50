#include "data/blocks/ngram_dictionary.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace cane {

void NgramCounts::Shard::add(std::uint64_t hash, std::uint64_t count) {
  if (2 * size >= slots.size()) rebuild(std::max<std::size_t>(64, 2 * slots.size()), 0);
  std::size_t slot = hash & (slots.size() - 1);
  while (slots[slot].count > 0 && slots[slot].hash != hash) slot = (slot + 1) & (slots.size() - 1);
  if (slots[slot].count == 0) ++size;
  slots[slot].hash = hash;
  slots[slot].count += count;
}

void NgramCounts::Shard::rebuild(std::size_t slots_now, std::uint64_t min_count) {
  std::vector<Entry> before = std::exchange(slots, std::vector<Entry>(slots_now));
  size = 0;
  for (const Entry& entry : before) {
    if (entry.count == 0 || entry.count < min_count) continue;
    std::size_t slot = entry.hash & (slots.size() - 1);
    while (slots[slot].count > 0) slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = entry;
    ++size;
  }
}

// Halves what is kept, so that it is seldom done.
void NgramCounts::Shard::forget(std::size_t most) {
  while (size > most / 2) rebuild(slots.size(), ++least);
}

void NgramCounts::add(std::span<const ParsedBlock> blocks, ThreadPool& pool) {
  pool.run(kShards, [&](std::size_t number, int) {
    Shard& shard = shards_[number];
    for (const ParsedBlock& block : blocks) {
      const std::vector<std::uint64_t>& hashes = block.ngrams.hashes();
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        if (hashes[i] >> (64 - kShardBits) != number) continue;
        shard.add(hashes[i], block.ngram_counts[i]);
      }
      if (shard.size > most_of_shard_) shard.forget(most_of_shard_);
    }
  });
}

void NgramCounts::exchange(Communicator& ranks) {
  const auto count = static_cast<std::uint64_t>(ranks.ranks());
  std::vector<std::vector<Entry>> entries(count);
  for (Shard& shard : shards_) {
    for (const Entry& entry : shard.slots) {
      if (entry.count > 0) entries[(entry.hash >> 32U) * count >> 32U].push_back(entry);
    }
    shard = {};
  }
  std::vector<Bytes> outgoing;
  for (const auto& part : entries) outgoing.push_back(bytes_of(std::span<const Entry>(part)));
  for (const Bytes& part : ranks.all_to_all(std::move(outgoing))) {
    for (const Entry& entry : values_of<Entry>(part)) {
      shards_[entry.hash >> (64 - kShardBits)].add(entry.hash, entry.count);
    }
  }
}

std::vector<std::uint64_t> NgramCounts::frequent(std::uint32_t min_count, ThreadPool& pool) const {
  std::array<std::vector<std::uint64_t>, kShards> parts;
  pool.run(kShards, [&](std::size_t number, int) {
    for (const Entry& entry : shards_[number].slots) {
      if (entry.count > 0 && entry.count >= min_count) parts[number].push_back(entry.hash);
    }
    std::sort(parts[number].begin(), parts[number].end());
  });
  std::vector<std::uint64_t> hashes;
  for (const auto& part : parts) hashes.insert(hashes.end(), part.begin(), part.end());
  return hashes;
}

NgramDictionary::NgramDictionary(std::span<const std::uint64_t> hashes) : hashes_(hashes) {
  const auto bits = static_cast<unsigned>(std::bit_width(hashes.size()));
  shift_ = 64 - std::max(1U, bits);
  starts_.resize((std::size_t{1} << (64 - shift_)) + 1);
  for (const std::uint64_t hash : hashes) ++starts_[(hash >> shift_) + 1];
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
}

std::uint32_t NgramDictionary::find(std::uint64_t hash) const {
  if (hashes_.empty()) return kNone;
  const std::size_t first = hash >> shift_;
  const auto end = hashes_.begin() + starts_[first + 1];
  const auto found = std::lower_bound(hashes_.begin() + starts_[first], end, hash);
  if (found == end || *found != hash) return kNone;
  return static_cast<std::uint32_t>(found - hashes_.begin());
}

}  // namespace cane
