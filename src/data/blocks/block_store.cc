#include "data/blocks/block_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cane/error.h"
#include "core/base/memory.h"

namespace cane {
namespace {

// Limit on the blocks kept in memory if there is a folder.
constexpr std::uint64_t kMaxInMemory = std::uint64_t{128} << 20;
constexpr std::uint64_t kShareOfMemory = 8;

}  // namespace

StoreLimits default_store_limits(std::string folder) {
  const std::uint64_t available = available_memory();
  const std::uint64_t share = available == 0 ? kMaxInMemory : available / kShareOfMemory;
  return {std::move(folder), std::min(share, kMaxInMemory)};
}

BlockStore::BlockStore(std::string name, StoreLimits limits)
    : name_(std::move(name)), limits_(std::move(limits)) {}

template <typename Block, typename Action>
void BlockStore::for_arrays(Block& block, const Action& action) {
  action(block.label_ids);
  action(block.word_ids);
  action(block.ngram_hashes);
  action(block.labels);
  action(block.ends);
  action(block.weights);
  action(block.gaps);
  action(block.names);
  action(block.features);
  action(block.values);
}

std::uint64_t BlockStore::bytes_of(const ParsedBlock& block) {
  std::uint64_t bytes = 0;
  for_arrays(block, [&](const auto& array) { bytes += std::as_bytes(std::span(array)).size(); });
  return bytes;
}

void BlockStore::add(std::vector<ParsedBlock> blocks, ThreadPool& pool) {
  for (ParsedBlock& block : blocks) {
    memory_bytes_ += bytes_of(block);
    blocks_.emplace_back(std::move(block));
  }
  if (is_on_disk() || memory_bytes_ > limits_.memory_bytes) {
    if (!limits_.folder.empty() && problem_.empty()) move_to_file(pool);
    if (limits_.folder.empty() || !problem_.empty()) check_memory();
  }
}

void BlockStore::move_to_file(ThreadPool& pool) {
  std::vector<FilePlace> places;
  std::uint64_t end = file_bytes_;
  for (std::size_t i = first_in_memory_; i < blocks_.size(); ++i) {
    const auto& block = std::get<ParsedBlock>(blocks_[i]);
    FilePlace place{end, {}, block.dimension};
    std::size_t array_number = 0;
    for_arrays(block, [&](const auto& array) {
      end += place.bytes[array_number++] = std::as_bytes(std::span(array)).size();
    });
    places.push_back(place);
  }
  try {
    if (!file_) file_.emplace(limits_.folder);
    pool.run(places.size(), [&](std::size_t i, int) {
      write(std::get<ParsedBlock>(blocks_[first_in_memory_ + i]), places[i]);
    });
  } catch (const Error& error) {
    problem_ = error.what();
    return;
  }
  for (const FilePlace& place : places) blocks_[first_in_memory_++] = place;
  file_bytes_ = end;
  memory_bytes_ = 0;
}

void BlockStore::write(const ParsedBlock& block, const FilePlace& place) const {
  std::uint64_t offset = place.offset;
  for_arrays(block, [&](const auto& array) {
    const auto bytes = std::as_bytes(std::span(array));
    file_->write_at(offset, bytes);
    offset += bytes.size();
  });
}

void BlockStore::check_memory() const {
  const std::uint64_t available = available_memory();
  // Assembling the arrays takes as much memory again as the last block, plus some headroom.
  if (available == 0 || available > memory_bytes_ / 16) return;
  throw Error(
      fmt::format("{}: the examples read so far take {}, and {} of memory are free; {}", name_,
                  bytes_as_text(bytes()), bytes_as_text(available),
                  problem_.empty()
                      ? "read them from a file and with a cache, which is mapped into memory"
                      : "the cache cannot take them (" + problem_ +
                            "): make room there, or choose another folder with `cache_directory`"));
}

ParsedBlock BlockStore::take(std::size_t index) {
  auto& stored = blocks_[index];
  if (auto* const block = std::get_if<ParsedBlock>(&stored)) return std::move(*block);
  return read_from_file(std::get<FilePlace>(stored));
}

const ParsedBlock& BlockStore::read(std::size_t index, ParsedBlock& scratch) const {
  const auto& stored = blocks_[index];
  if (const auto* const block = std::get_if<ParsedBlock>(&stored)) return *block;
  scratch = read_from_file(std::get<FilePlace>(stored));
  return scratch;
}

ParsedBlock BlockStore::read_from_file(const FilePlace& place) const {
  ParsedBlock block;
  block.dimension = place.dimension;
  std::uint64_t offset = place.offset;
  std::size_t array_number = 0;
  for_arrays(block, [&](auto& array) {
    const std::uint64_t bytes = place.bytes[array_number++];
    array.resize(bytes / sizeof(array[0]));
    file_->read_at(offset, std::as_writable_bytes(std::span(array)));
    offset += bytes;
  });
  return block;
}

}  // namespace cane
