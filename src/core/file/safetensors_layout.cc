#include "core/file/safetensors_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "cane/error.h"
#include "core/file/checksum.h"

namespace cane {
namespace {

constexpr std::size_t kDataAlignment = 64;

std::size_t alignment_of(const TensorDescription& tensor) {
  return std::max(tensor.alignment, element_type(tensor.type).size);
}

}  // namespace

SafetensorsLayout::SafetensorsLayout(std::string path, std::span<const TensorDescription> tensors)
    : path_(std::move(path)), tensors_(tensors.begin(), tensors.end()) {
  for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
    places_.push_back({tensor, 0, 0});
  }
  std::ranges::stable_sort(places_, std::ranges::greater(),
                           [&](const Place& place) { return alignment_of(description(place)); });
  std::set<std::string_view> names = {kMetadataKey};
  std::uint64_t begin = 0;
  for (Place& place : places_) {
    const TensorDescription& tensor = description(place);
    if (!names.insert(tensor.name).second) {
      throw Error(
          fmt::format("{}: cannot write: the tensor name '{}' is taken", path_, tensor.name));
    }
    // The data section is aligned, so offsets within it have the same alignment as in the file.
    if (begin % alignment_of(tensor) != 0) {
      throw Error(fmt::format(
          "{}: cannot write: tensor '{}' would begin at offset {}, no multiple of its alignment of "
          "{} bytes; make the tensors before it multiples of theirs",
          path_, tensor.name, begin, alignment_of(tensor)));
    }
    std::uint64_t bytes = 0;
    place.begin = begin;
    if (!tensor_bytes(tensor.type, tensor.shape, bytes) ||
        __builtin_add_overflow(begin, bytes, &place.end)) {
      throw Error(
          fmt::format("{}: cannot write: tensor '{}' is larger than any file", path_, tensor.name));
    }
    begin = place.end;
  }
}

std::string SafetensorsLayout::header(const std::map<std::string, std::string>& metadata,
                                      std::span<const std::string> checksums) const {
  assert(checksums.size() == places_.size());
  nlohmann::ordered_json description_json;
  nlohmann::ordered_json& entries = description_json[std::string(kMetadataKey)];
  entries[std::string(kHeaderChecksumKey)] = kNoChecksum;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    entries[std::string(kTensorChecksumPrefix) + description(places_[i]).name] = checksums[i];
  }
  for (const auto& [key, value] : metadata) {
    if (key.starts_with(kChecksumPrefix)) {
      throw Error(fmt::format("{}: cannot write: the metadata name '{}' is kept for checksums",
                              path_, key));
    }
    entries.emplace(key, value);
  }
  for (const Place& place : places_) {
    const TensorDescription& tensor = description(place);
    description_json[tensor.name] = {{"dtype", element_type(tensor.type).name},
                                     {"shape", tensor.shape},
                                     {"data_offsets", {place.begin, place.end}}};
  }
  std::string header(kLengthBytes, '\0');
  try {
    header += description_json.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format(
        "{}: cannot write: a metadata entry or a tensor name is not UTF-8, which JSON demands",
        path_));
  }
  assert(std::string_view(header).substr(kLengthBytes).starts_with(kHeaderOpening));
  while (header.size() % kDataAlignment != 0) header += ' ';
  const std::uint64_t length = header.size() - kLengthBytes;
  if (length > kLargestHeader) {
    throw Error(fmt::format(
        "{}: cannot write: the header has {} bytes, and the format allows {}; keep large values in "
        "tensors",
        path_, length, kLargestHeader));
  }
  std::memcpy(header.data(), &length, kLengthBytes);
  const std::string sum = header_checksum(std::as_bytes(std::span(header)));
  header.replace(kLengthBytes + kHeaderOpening.size(), sum.size(), sum);
  return header;
}

std::uint64_t SafetensorsLayout::header_bytes(
    const std::map<std::string, std::string>& metadata) const {
  return header(metadata, std::vector<std::string>(places_.size(), std::string(kNoChecksum)))
      .size();
}

SafetensorsLayout layout_of(const std::string& path, std::span<const TensorToWrite> tensors) {
  std::vector<TensorDescription> descriptions;
  for (const TensorToWrite& tensor : tensors) {
    std::uint64_t bytes = 0;
    if (!tensor_bytes(tensor.type, tensor.shape, bytes) || bytes != tensor.bytes.size()) {
      throw Error(fmt::format("{}: cannot write: tensor '{}' has {} bytes, which is not its shape",
                              path, tensor.name, tensor.bytes.size()));
    }
    descriptions.push_back({tensor.name, tensor.type, tensor.shape, tensor.alignment});
  }
  return {path, descriptions};
}

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

bool tensor_bytes(TensorType type, std::span<const std::uint64_t> shape, std::uint64_t& bytes) {
  bytes = element_type(type).size;
  for (const std::uint64_t length : shape) {
    if (__builtin_mul_overflow(bytes, length, &bytes)) return false;
  }
  return true;
}

std::string header_checksum(std::span<const std::byte> header) {
  constexpr std::size_t kBegin = kLengthBytes + kHeaderOpening.size();
  Checksum sum;
  sum.add(header.first(kBegin));
  sum.add(std::as_bytes(std::span(kNoChecksum)));
  sum.add(header.subspan(kBegin + kNoChecksum.size()));
  return sum.digits();
}

}  // namespace cane
