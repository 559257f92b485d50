#include <fmt/format.h>

#include <cassert>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "cane/error.h"
#include "core/file/atomic_file.h"
#include "core/file/safetensors.h"
#include "core/file/safetensors_format.h"

namespace cane {
namespace {

using safetensors::kLengthBytes;

void check_tensor(const std::string& path, const TensorToWrite& tensor, std::uint64_t begin) {
  const auto& element = safetensors::element_type(tensor.type);
  std::uint64_t bytes = 0;
  if (!safetensors::tensor_bytes(tensor.type, tensor.shape, bytes) ||
      bytes != tensor.bytes.size()) {
    throw Error(fmt::format("{}: cannot write: tensor '{}' has {} bytes, which is not its shape",
                            path, tensor.name, tensor.bytes.size()));
  }
  // The data section begins aligned, so the offset in it tells the alignment in the file.
  if (begin % element.size != 0) {
    throw Error(fmt::format(
        "{}: cannot write: tensor '{}' would begin at offset {}, no multiple of the {} bytes of an "
        "element; put tensors of wide types first",
        path, tensor.name, begin, element.size));
  }
}

nlohmann::ordered_json describe_metadata(const std::string& path,
                                         std::span<const TensorToWrite> tensors,
                                         const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json entries;
  entries[std::string(safetensors::kHeaderChecksumKey)] = safetensors::kNoChecksum;
  for (const TensorToWrite& tensor : tensors) {
    entries[std::string(safetensors::kTensorChecksumPrefix) + tensor.name] =
        safetensors::checksum({tensor.bytes});
  }
  for (const auto& [key, value] : metadata) {
    if (key.starts_with(safetensors::kChecksumPrefix)) {
      throw Error(
          fmt::format("{}: cannot write: the metadata name '{}' is kept for checksums", path, key));
    }
    entries.emplace(key, value);
  }
  return entries;
}

nlohmann::ordered_json describe(const std::string& path, std::span<const TensorToWrite> tensors,
                                const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header;
  header[std::string(safetensors::kMetadataKey)] = describe_metadata(path, tensors, metadata);
  std::set<std::string_view> names = {safetensors::kMetadataKey};
  std::uint64_t begin = 0;
  for (const TensorToWrite& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      throw Error(
          fmt::format("{}: cannot write: the tensor name '{}' is taken", path, tensor.name));
    }
    check_tensor(path, tensor, begin);
    const std::uint64_t end = begin + tensor.bytes.size();
    header[tensor.name] = {{"dtype", safetensors::element_type(tensor.type).name},
                           {"shape", tensor.shape},
                           {"data_offsets", {begin, end}}};
    begin = end;
  }
  return header;
}

/// Length, JSON and padding, with the checksum in its place.
std::string header_bytes(const std::string& path, const nlohmann::ordered_json& description) {
  std::string header(kLengthBytes, '\0');
  try {
    header += description.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format(
        "{}: cannot write: a metadata entry or a tensor name is not UTF-8, which JSON demands",
        path));
  }
  assert(std::string_view(header).substr(kLengthBytes).starts_with(safetensors::kHeaderOpening));
  while (header.size() % safetensors::kDataAlignment != 0) header += ' ';
  const std::uint64_t length = header.size() - kLengthBytes;
  if (length > safetensors::kLargestHeader) {
    throw Error(fmt::format(
        "{}: cannot write: the header has {} bytes, and the format allows {}; keep large values in "
        "tensors",
        path, length, safetensors::kLargestHeader));
  }
  std::memcpy(header.data(), &length, kLengthBytes);
  const std::string sum = safetensors::header_checksum(std::as_bytes(std::span(header)));
  header.replace(kLengthBytes + safetensors::kHeaderOpening.size(), sum.size(), sum);
  return header;
}

}  // namespace

void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string header = header_bytes(path, describe(path, tensors, metadata));
  AtomicFile file(path);
  file.write(header);
  for (const TensorToWrite& tensor : tensors) file.write(tensor.bytes);
  file.commit();
}

}  // namespace cane
