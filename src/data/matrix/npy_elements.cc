// The elements of an array as numbers and texts, whatever their type, byte order and place.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/base/half.h"
#include "data/matrix/npy_array.h"

namespace cane {
namespace {

template <typename Element>
Element load(const std::byte* from, bool swaps_bytes) {
  std::array<std::byte, sizeof(Element)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Element));
  if (swaps_bytes) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Element>(bytes);
}

// Calls action(load) with the function that loads one element of a numeric type.
template <typename Action>
auto with_loader(char kind, std::size_t bytes, bool swaps_bytes, const Action& action) {
  const auto as = [&]<typename Element>(Element) {
    return action(
        [swaps_bytes](const std::byte* from) { return load<Element>(from, swaps_bytes); });
  };
  if (kind == 'f' && bytes == 2) {
    return action([swaps_bytes](const std::byte* from) {
      return to_float(Half{load<std::uint16_t>(from, swaps_bytes)});
    });
  }
  if (kind == 'f') return bytes == 4 ? as(float{}) : as(double{});
  const bool is_signed = kind == 'i';
  switch (bytes) {
    case 1:
      return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2:
      return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    case 4:
      return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    default:
      return is_signed ? as(std::int64_t{}) : as(std::uint64_t{});
  }
}

void append_utf8(std::uint32_t code, std::string& text) {
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
  const auto add = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

std::string text_of_number(double number, const std::string& name) {
  // Doubles hold whole numbers exactly up to here.
  constexpr double kMax = 9007199254740992.0;
  if (std::trunc(number) == number && std::abs(number) <= kMax) {
    return fmt::format("{}", static_cast<std::int64_t>(number));
  }
  throw Error(fmt::format("{}: label {} is no whole number; save y.astype(int) or y.astype(str)",
                          name, number));
}

}  // namespace

bool NpyArray::is_usable_in_place() const {
  const bool has_type = (kind() == 'f' && element_bytes_ == 4) || type_ == "|u1";
  return has_type && is_mapped_ && !fortran_order_ && !swaps_bytes_ &&
         reinterpret_cast<std::uintptr_t>(data_.data()) % element_bytes_ == 0;
}

double NpyArray::number(std::uint64_t position) const {
  const std::byte* const from = data_.data() + position * element_bytes_;
  return with_loader(kind(), element_bytes_, swaps_bytes_,
                     [&](const auto& element) { return static_cast<double>(element(from)); });
}

void NpyArray::row(std::uint64_t row, std::span<double> values) const {
  const std::uint64_t stride = (fortran_order_ ? shape_[0] : 1) * element_bytes_;
  const std::byte* from = data_.data() + row * (fortran_order_ ? 1 : shape_[1]) * element_bytes_;
  with_loader(kind(), element_bytes_, swaps_bytes_, [&](const auto& element) {
    for (double& value : values) {
      value = static_cast<double>(element(from));
      from += stride;
    }
    return 0;
  });
}

std::string NpyArray::text(std::uint64_t position) const {
  const std::byte* const from = data_.data() + position * element_bytes_;
  std::string text;
  if (kind() == 'U') {
    for (std::size_t at = 0; at < element_bytes_; at += 4) {
      const auto code = load<std::uint32_t>(from + at, swaps_bytes_);
      if (code == 0) break;  // the rest is padding
      append_utf8(code, text);
    }
  } else if (kind() == 'S') {
    text.assign(reinterpret_cast<const char*>(from), element_bytes_);
    text.resize(text.find_last_not_of('\0') + 1);
  } else if (kind() == 'b') {
    text = *from == std::byte{0} ? "False" : "True";
  } else if (kind() == 'f') {
    text = text_of_number(number(position), name_);
  } else {
    text = with_loader(kind(), element_bytes_, swaps_bytes_, [&](const auto& element) {
      return kind() == 'i' ? fmt::format("{}", static_cast<std::int64_t>(element(from)))
                           : fmt::format("{}", static_cast<std::uint64_t>(element(from)));
    });
  }
  if (!is_plain_label(text)) {
    throw Error(fmt::format("{}: label {} holds a tab, a line break or the like; take it out",
                            name_, in_quotes(text)));
  }
  return text;
}

}  // namespace cane
