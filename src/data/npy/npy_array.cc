#include "data/npy/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "cane/error.h"
#include "core/base/bad_line.h"

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

}  // namespace

bool is_npy(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
  if (path.ends_with(".npy")) return true;
  std::string start(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == kMagic;
}

NpyArray::NpyArray(const std::string& path) : file_(path) {
  const std::span<const std::byte> bytes = file_.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) {
    throw Error(fmt::format("{}: not a NumPy array file; write it with numpy.save", path));
  }
  constexpr std::size_t kVersionPosition = 6;
  constexpr std::size_t kLengthPosition = 8;
  const auto byte = [&](std::size_t position) {
    return position < text.size() ? static_cast<unsigned char>(text[position]) : 0U;
  };
  const unsigned version = byte(kVersionPosition);
  if (version < 1 || version > 3) {
    throw Error(
        fmt::format("{}: version {} of the NumPy format is not known; write it with "
                    "numpy.save",
                    path, version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::size_t{byte(kLengthPosition + i)} << (8 * i);
  }
  const std::size_t header_begin = kLengthPosition + length_bytes;
  if (header_begin + length > text.size()) {
    throw Error(fmt::format("{}: the file is cut off inside its header; get it again", path));
  }
  parse_header(std::string(text.substr(header_begin, length)));
  data_ = bytes.subspan(header_begin + length);
  check_size();
}

void NpyArray::parse_header(const std::string& header) {
  const std::string_view type = value_of(header, "descr");
  const std::string_view order = value_of(header, "fortran_order");
  if (type.starts_with('\'') && type.find('\'', 1) != std::string_view::npos) {
    type_ = type.substr(1, type.find('\'', 1) - 1);
  }
  if (type_.size() != 3 || !parse_shape(value_of(header, "shape"), shape_) ||
      !(order.starts_with("True") || order.starts_with("False"))) {
    throw Error(
        fmt::format("{}: the header {} does not describe an array of numbers; write it "
                    "with numpy.save",
                    file_.path(), in_quotes(header)));
  }
  if (order.starts_with("True") && shape_.size() > 1) {
    throw Error(fmt::format("{}: the array is in Fortran order; save numpy.ascontiguousarray(it)",
                            file_.path()));
  }
  if (type_.front() == '>') {
    throw Error(fmt::format("{}: the numbers are big-endian; save it.astype('<{}')", file_.path(),
                            shown(type_.substr(1))));
  }
}

void NpyArray::check_size() const {
  const auto element = static_cast<std::size_t>(type_[2] - '0');
  if (element != 1 && element != 2 && element != 4 && element != 8) {
    throw Error(fmt::format("{}: elements of type {} are not read; save it.astype('float32')",
                            file_.path(), in_quotes(type_)));
  }
  // Divides rather than multiplies: sizes in a damaged header may be anything.
  std::uint64_t elements = data_.size() / element;
  bool fits = data_.size() % element == 0;
  bool empty = false;
  for (const std::uint64_t size : shape_) {
    empty = empty || size == 0;
    if (size == 0) continue;
    fits = fits && elements % size == 0;
    elements /= size;
  }
  if (!(empty ? data_.empty() : fits && elements == 1)) {
    throw Error(fmt::format(
        "{}: the file holds {} bytes of numbers, which is not what its header announces (shape "
        "{}); it is cut off or damaged, get it again",
        file_.path(), data_.size(), shown(fmt::format("{}", fmt::join(shape_, " x ")))));
  }
  if (reinterpret_cast<std::uintptr_t>(data_.data()) % element != 0) {
    throw Error(
        fmt::format("{}: the numbers are not aligned; write it with numpy.save", file_.path()));
  }
}

}  // namespace cane
