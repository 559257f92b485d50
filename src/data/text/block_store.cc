#include "data/text/block_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

#include "cane/error.h"
#include "core/base/memory.h"

namespace cane {
namespace {

// Limit on the blocks kept in memory if there is a folder.
constexpr std::uint64_t kMaxInMemory = std::uint64_t{128} << 20;
constexpr std::uint64_t kShareOfMemory = 8;

void read_all(int descriptor, std::span<std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pread(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw Error(fmt::format("parsed text cannot be read back from the cache folder: {}",
                              count < 0 ? std::strerror(errno) : "it ends too early"));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void write_all(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) continue;
      throw Error(std::strerror(errno));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

}  // namespace

StoreLimits default_store_limits(std::string folder) {
  const std::uint64_t available = available_memory();
  const std::uint64_t share = available == 0 ? kMaxInMemory : available / kShareOfMemory;
  return {std::move(folder), std::min(share, kMaxInMemory)};
}

BlockStore::BlockStore(std::string name, StoreLimits limits)
    : name_(std::move(name)), limits_(std::move(limits)) {}

BlockStore::~BlockStore() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

BlockStore::BlockStore(BlockStore&& other) noexcept
    : name_(std::move(other.name_)),
      limits_(std::move(other.limits_)),
      blocks_(std::move(other.blocks_)),
      first_in_memory_(other.first_in_memory_),
      memory_bytes_(other.memory_bytes_),
      file_bytes_(other.file_bytes_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      problem_(std::move(other.problem_)) {}

template <typename Block, typename Action>
void BlockStore::for_arrays(Block& block, const Action& action) {
  action(block.label_numbers);
  action(block.word_numbers);
  action(block.ngram_hashes);
  action(block.labels);
  action(block.ends);
  action(block.weights);
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

bool BlockStore::open_file() {
  std::error_code failure;
  std::filesystem::create_directories(limits_.folder, failure);
  std::string path = limits_.folder + "/parsed-XXXXXX";
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    problem_ = fmt::format("{}: cannot write: {}", limits_.folder, std::strerror(errno));
    return false;
  }
  ::unlink(path.c_str());
  return true;
}

void BlockStore::move_to_file(ThreadPool& pool) {
  if (descriptor_ < 0 && !open_file()) return;
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
    pool.run(places.size(), [&](std::size_t i, int) {
      write(std::get<ParsedBlock>(blocks_[first_in_memory_ + i]), places[i]);
    });
  } catch (const Error& error) {
    problem_ = fmt::format("{}: cannot write: {}", limits_.folder, error.what());
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
    write_all(descriptor_, bytes, offset);
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
    read_all(descriptor_, std::as_writable_bytes(std::span(array)), offset);
    offset += bytes;
  });
  return block;
}

}  // namespace cane
