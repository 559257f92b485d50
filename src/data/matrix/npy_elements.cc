// The elements of an array as numbers and texts, whatever their type, byte order and place.
#include <fmt/format.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

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
    std::vector<UChar32> codes(element_bytes_ / 4);
    std::int32_t count = 0;
    for (UChar32& code : codes) {
      code = load<UChar32>(from + 4 * count, swaps_bytes_);
      if (code == 0) break;  // the rest is padding
      ++count;
    }
    icu::UnicodeString::fromUTF32(codes.data(), count).toUTF8String(text);
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
