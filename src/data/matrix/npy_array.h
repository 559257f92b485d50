// An array as numpy.save writes it (.npy, versions 1 to 3): numbers of any type and byte order, or
// strings. The bytes are mapped from a file or lie in memory; nothing is converted here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cane {

class NpyArray {
 public:
  /// Maps the file. Throws Error, with the cause and what to do, if it is not valid; so does the
  /// other constructor.
  explicit NpyArray(const std::string& path);
  /// `bytes` is such a file in memory, or the beginning of one, which has no elements; `name`
  /// identifies it in messages.
  enum class Part { kWhole, kBeginning };
  NpyArray(std::string name, std::string bytes, Part part = Part::kWhole);

  /// In messages.
  const std::string& name() const { return name_; }
  /// As NumPy writes it: '<f4', '|u1', '<U12', ...
  const std::string& type() const { return type_; }
  /// 'f', 'i', 'u', 'b' (boolean), 'U' or 'S' (strings).
  char kind() const { return type_[1]; }
  std::size_t element_bytes() const { return element_bytes_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  std::uint64_t size() const { return data_.size() / element_bytes_; }
  /// Of the whole file, as its header announces; the largest number if that is too large for one.
  std::uint64_t file_bytes() const;
  /// As many bytes as shape and type imply.
  std::span<const std::byte> data() const { return data_; }
  bool is_mapped() const { return is_mapped_; }
  bool is_numeric() const {
    return std::string_view("fiub").find(kind()) != std::string_view::npos;
  }
  /// Float32 or uint8 as this machine stores them, in rows.
  bool is_usable_in_place() const;

  /// The element at a position of the data, as a number. For numbers only.
  double number(std::uint64_t position) const;
  /// The elements of a row of a matrix.
  void row(std::uint64_t row, std::span<double> values) const;
  /// An element of the first and only dimension as text: whole numbers, booleans and strings.
  /// Throws Error for other numbers.
  std::string text(std::uint64_t position) const;

 private:
  void parse(std::string_view file, Part part);
  void parse_header(std::string_view header);
  void check_size() const;

  std::string name_;
  std::shared_ptr<const void> storage_;
  bool is_mapped_ = false;
  std::string type_;
  std::size_t element_bytes_ = 1;
  bool fortran_order_ = false;
  bool swaps_bytes_ = false;
  std::vector<std::uint64_t> shape_;
  std::uint64_t header_bytes_ = 0;
  std::span<const std::byte> data_;
};

/// The beginning of such a file. `type` as NumPy writes it ("<f4"), `shape` as in "3, 4" or "3,".
std::string npy_header(const std::string& type, const std::string& shape);

/// Whether this is a regular file with the .npy magic or extension.
bool is_npy(const std::string& path);

}  // namespace cane
