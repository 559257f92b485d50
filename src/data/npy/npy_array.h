// A NumPy array file (.npy, versions 1 to 3), mapped into memory, not copied. Only C order: rows
// lie one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/file/mapped_file.h"

namespace cane {

class NpyArray {
 public:
  /// Throws Error, what is wrong and what to do, if anything about the file is.
  explicit NpyArray(const std::string& path);

  /// As NumPy writes it: '<f4', '|u1', ...
  const std::string& type() const { return type_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  /// Aligned for elements of their size; as many bytes as shape and type say.
  std::span<const std::byte> data() const { return data_; }

 private:
  void parse_header(const std::string& header);
  void check_size() const;

  MappedFile file_;
  std::string type_;
  std::vector<std::uint64_t> shape_;
  std::span<const std::byte> data_;
};

/// A regular file that starts as .npy files do, or is called so.
bool is_npy(const std::string& path);

}  // namespace cane
