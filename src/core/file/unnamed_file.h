// A temporary file without a name, for what does not fit into memory: the system removes it however
// the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace cane {

class UnnamedFile {
 public:
  /// Makes the folder if there is none. This and all below throw Error with the name of the folder.
  explicit UnnamedFile(const std::string& folder);
  ~UnnamedFile();
  UnnamedFile(UnnamedFile&& other) noexcept;
  UnnamedFile& operator=(UnnamedFile&&) = delete;

  /// Both are thread-safe for disjoint ranges.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;

  /// Maps the first bytes of the file, read-only, for as long as this lives. Called once, after all
  /// of them were written.
  std::span<const std::byte> map(std::uint64_t bytes);

 private:
  [[noreturn]] void fail(const char* action) const;

  std::string folder_;
  int descriptor_ = -1;
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
};

}  // namespace cane
