#include "data/matrix/npy_array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/file/folder_files.h"
#include "core/file/mapped_file.h"

namespace cane {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

std::string_view skip_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

// Returns what follows `'key':` in the header, a Python dictionary.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t position = header.find(fmt::format("'{}'", key));
  if (position == std::string_view::npos) return {};
  const std::string_view rest = skip_spaces(header.substr(position + key.size() + 2));
  return rest.starts_with(':') ? skip_spaces(rest.substr(1)) : std::string_view{};
}

// Parses whole numbers in parentheses: "(3, 4)", "(3,)" or "()". Returns false for anything else.
bool parse_shape(std::string_view text, std::vector<std::uint64_t>& shape) {
  if (!text.starts_with('(')) return false;
  text = skip_spaces(text.substr(1));
  while (!text.starts_with(')')) {
    std::uint64_t size = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), size);
    if (result.ec != std::errc()) return false;
    shape.push_back(size);
    text = skip_spaces(text.substr(static_cast<std::size_t>(result.ptr - text.data())));
    if (text.starts_with(',')) {
      text = skip_spaces(text.substr(1));
    } else if (!text.starts_with(')')) {
      return false;
    }
  }
  return true;
}

// Bytes of an element, such as '<f4' or '<U12'; 0 if arrays of this type are not read.
std::size_t bytes_of(std::string_view type) {
  if (type.size() < 3 || std::string_view("<>|=").find(type[0]) == std::string_view::npos) return 0;
  std::size_t size = 0;
  const char* const end = type.data() + type.size();
  const auto parsed = std::from_chars(type.data() + 2, end, size);
  constexpr std::size_t kLongestString = std::size_t{1} << 20;
  if (parsed.ec != std::errc() || parsed.ptr != end || size == 0 || size > kLongestString) return 0;
  switch (type[1]) {
    case 'f':
      return size == 2 || size == 4 || size == 8 ? size : 0;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8 ? size : 0;
    case 'b':
      return size == 1 ? size : 0;
    case 'U':
      return 4 * size;
    case 'S':
      return size;
    default:
      return 0;
  }
}

}  // namespace

bool is_npy(const std::string& path) {
  return begins_with(path, path.ends_with(".npy") ? "" : kMagic);
}

NpyArray::NpyArray(const std::string& path) : name_(path), is_mapped_(true) {
  const auto file = std::make_shared<const MappedFile>(path);
  storage_ = file;
  parse({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()}, Part::kWhole);
}

NpyArray::NpyArray(std::string name, std::string bytes, Part part) : name_(std::move(name)) {
  const auto file = std::make_shared<const std::string>(std::move(bytes));
  storage_ = file;
  parse(*file, part);
}

std::uint64_t NpyArray::file_bytes() const {
  std::uint64_t bytes = element_bytes_;
  for (const std::uint64_t size : shape_) {
    if (__builtin_mul_overflow(bytes, size, &bytes))
      return std::numeric_limits<std::uint64_t>::max();
  }
  return __builtin_add_overflow(bytes, header_bytes_, &bytes)
             ? std::numeric_limits<std::uint64_t>::max()
             : bytes;
}

void NpyArray::parse(std::string_view file, Part part) {
  if (!file.starts_with(kMagic)) {
    throw Error(fmt::format("{}: not a NumPy array file; write it with numpy.save", name_));
  }
  constexpr std::size_t kVersionPosition = 6;
  constexpr std::size_t kLengthPosition = 8;
  const auto byte = [&](std::size_t position) {
    return position < file.size() ? static_cast<unsigned char>(file[position]) : 0U;
  };
  const unsigned version = byte(kVersionPosition);
  if (version < 1 || version > 3) {
    throw Error(
        fmt::format("{}: version {} of the NumPy format is not known; write it with "
                    "numpy.save",
                    name_, version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::size_t{byte(kLengthPosition + i)} << (8 * i);
  }
  const std::size_t header_begin = kLengthPosition + length_bytes;
  if (header_begin + length > file.size()) {
    throw Error(fmt::format("{}: the file is cut off inside its header; get it again", name_));
  }
  parse_header(file.substr(header_begin, length));
  header_bytes_ = header_begin + length;
  if (part == Part::kBeginning) return;
  data_ = std::as_bytes(std::span(file).subspan(header_bytes_));
  check_size();
}

void NpyArray::parse_header(std::string_view header) {
  const std::string_view type = value_of(header, "descr");
  const std::string_view order = value_of(header, "fortran_order");
  if (type.starts_with('\'') && type.find('\'', 1) != std::string_view::npos) {
    type_ = type.substr(1, type.find('\'', 1) - 1);
  }
  if (type_.size() < 2 || !parse_shape(value_of(header, "shape"), shape_) ||
      !(order.starts_with("True") || order.starts_with("False"))) {
    throw Error(
        fmt::format("{}: the header {} does not describe an array of numbers or strings; write it "
                    "with numpy.save",
                    name_, in_quotes(header)));
  }
  if (type_ == "|O") {
    throw Error(
        fmt::format("{}: an array of Python objects is not read; save it.astype(str)", name_));
  }
  element_bytes_ = bytes_of(type_);
  if (element_bytes_ == 0) {
    throw Error(fmt::format("{}: elements of type {} are not read; save it.astype('float32')",
                            name_, in_quotes(type_)));
  }
  fortran_order_ = order.starts_with("True") && shape_.size() > 1;
  swaps_bytes_ = type_.front() == '>';
}

void NpyArray::check_size() const {
  // Divides rather than multiplies: sizes in a damaged header may be anything.
  std::uint64_t elements = data_.size() / element_bytes_;
  bool fits = data_.size() % element_bytes_ == 0;
  bool empty = false;
  for (const std::uint64_t size : shape_) {
    empty = empty || size == 0;
    if (size == 0) continue;
    fits = fits && elements % size == 0;
    elements /= size;
  }
  if (!(empty ? data_.empty() : fits && elements == 1)) {
    throw Error(fmt::format(
        "{}: the file holds {} bytes of elements, which is not what its header announces (shape "
        "{}); it is cut off or damaged, get it again",
        name_, data_.size(), shown(fmt::format("{}", fmt::join(shape_, " x ")))));
  }
}

std::string npy_header(const std::string& type, const std::string& shape) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  const std::size_t prefix = 10;  // magic, version, length
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

}  // namespace cane
