// Holds parsed blocks between reading a text and assembling its arrays. Blocks stay in memory up to
// a limit; beyond it they go to an unnamed temporary file, so that memory does not grow with the
// text and nothing is left behind however the program ends. If the file cannot be written, blocks
// stay in memory as long as there is enough.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/file/unnamed_file.h"
#include "data/blocks/parsed_block.h"

namespace cane {

struct StoreLimits {
  std::string folder;  // where the file is made; empty: all blocks stay in memory
  std::uint64_t memory_bytes = 0;
};

/// Limits memory to a share of what is free; the rest goes to the folder.
StoreLimits default_store_limits(std::string folder);

class BlockStore {
 public:
  /// `name` identifies the text in messages.
  BlockStore(std::string name, StoreLimits limits);

  /// Throws Error if neither the file nor memory can hold them.
  void add(std::vector<ParsedBlock> blocks, ThreadPool& pool);
  /// Moves a block out. Thread-safe for different blocks.
  ParsedBlock take(std::size_t block);
  /// A block that stays: in memory where it is, otherwise read into `scratch`. Thread-safe.
  const ParsedBlock& read(std::size_t block, ParsedBlock& scratch) const;

  std::size_t size() const { return blocks_.size(); }
  bool is_on_disk() const { return file_bytes_ > 0; }
  std::uint64_t bytes() const { return memory_bytes_ + file_bytes_; }
  /// Why blocks are in memory although there was a folder; empty if they are not.
  const std::string& problem() const { return problem_; }

 private:
  static constexpr std::size_t kArrays = 10;
  struct FilePlace {
    std::uint64_t offset = 0;
    std::array<std::uint64_t, kArrays> bytes{};
    FeatureId dimension = 0;
  };

  template <typename Block, typename Action>
  static void for_arrays(Block& block, const Action& action);
  static std::uint64_t bytes_of(const ParsedBlock& block);
  void move_to_file(ThreadPool& pool);
  void write(const ParsedBlock& block, const FilePlace& place) const;
  void check_memory() const;
  ParsedBlock read_from_file(const FilePlace& place) const;

  std::string name_;
  StoreLimits limits_;
  std::vector<std::variant<ParsedBlock, FilePlace>> blocks_;
  std::size_t first_in_memory_ = 0;
  std::uint64_t memory_bytes_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::optional<UnnamedFile> file_;
  std::string problem_;
};

}  // namespace cane
