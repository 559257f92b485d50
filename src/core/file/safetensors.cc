#include "core/file/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/file/atomic_file.h"
#include "core/file/checksum.h"
#include "core/file/mapped_file.h"
#include "core/file/safetensors_layout.h"

namespace cane {
namespace {

using nlohmann::json;

[[noreturn]] void fail_not_a_model(const std::string& path, const std::string& what) {
  throw Error(fmt::format("{}: {}; give a model file that `cane train` has written", path, what));
}

[[noreturn]] void fail_cut_off(const std::string& path, std::uint64_t present,
                               std::uint64_t expected) {
  throw Error(fmt::format(
      "{}: the file is cut off: it has {} bytes and should have {}; fetch it again or train again",
      path, present, expected));
}

[[noreturn]] void throw_damaged(const std::string& path, const std::string& what) {
  throw Error(
      fmt::format("{}: {}; the file is damaged or was made by another program: train again or "
                  "fetch it again",
                  path, what));
}

/// Length field, JSON and padding, with the checksum verified.
std::span<const std::byte> verified_header(const std::string& path,
                                           std::span<const std::byte> file) {
  if (file.size() <= kLengthBytes) {
    fail_not_a_model(path, fmt::format("{} bytes are too short for a safetensors file: cut off, "
                                       "or something else",
                                       file.size()));
  }
  if (file[kLengthBytes] != std::byte{'{'}) fail_not_a_model(path, "not a safetensors file");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kLargestHeader) {
    throw_damaged(path,
                  fmt::format("a header of {} bytes is longer than the format allows", length));
  }
  if (length > file.size() - kLengthBytes) fail_cut_off(path, file.size(), kLengthBytes + length);

  const auto header = file.first(kLengthBytes + static_cast<std::size_t>(length));
  const std::string_view text(reinterpret_cast<const char*>(header.data()) + kLengthBytes,
                              header.size() - kLengthBytes);
  const auto& opening = kHeaderOpening;
  if (!text.starts_with(opening) || text.size() < opening.size() + kNoChecksum.size()) {
    fail_not_a_model(path,
                     "a safetensors file that was not written by cane: its header does not open "
                     "with cane's checksum");
  }
  if (text.substr(opening.size(), kNoChecksum.size()) != header_checksum(header)) {
    throw_damaged(path, "the checksum of the header does not match");
  }
  return header;
}

/// Parses the header as JSON. Rejects nesting deeper than the format allows, and duplicate names in
/// an object, which readers interpret differently.
json parse_header(const std::string& path, std::span<const std::byte> header) {
  constexpr std::size_t kLevels = 3;
  std::array<std::set<std::string>, kLevels + 1> names;
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    const auto level = static_cast<std::size_t>(depth);
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      if (level >= kLevels) throw_damaged(path, "the header is nested too deeply");
      names[level + 1].clear();
    } else if (event == json::parse_event_t::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!names[level].insert(name).second) {
        throw_damaged(path, fmt::format("the header has {} twice", in_quotes(name)));
      }
    }
    return true;
  };
  const auto* text = reinterpret_cast<const char*>(header.data());
  try {
    json parsed = json::parse(text + kLengthBytes, text + header.size(), check);
    if (parsed.is_object()) return parsed;
  } catch (const json::exception& error) {
    throw_damaged(path, fmt::format("the header is not JSON ({})", shown(error.what())));
  }
  throw_damaged(path, "the header is not a JSON object");
}

std::optional<std::vector<std::uint64_t>> unsigned_numbers(const json& value) {
  if (!value.is_array()) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const json& number : value) {
    if (!number.is_number_unsigned()) return std::nullopt;
    numbers.push_back(number.get<std::uint64_t>());
  }
  return numbers;
}

struct Entry {
  std::uint64_t begin;
  std::uint64_t end;
  std::string name;
  TensorType type;
  std::vector<std::uint64_t> shape;
};

Entry parse_entry(const std::string& path, const std::string& name, const json& value) {
  const auto fail = [&](const char* what) {
    throw_damaged(path, fmt::format("tensor {} {}", in_quotes(name), what));
  };
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets")) {
    fail("is not described by dtype, shape and data_offsets");
  }
  const auto* element = std::ranges::find_if(kElementTypes, [&](const auto& known) {
    return value["dtype"].is_string() && value["dtype"].get_ref<const std::string&>() == known.name;
  });
  if (element == std::end(kElementTypes)) fail("has a dtype that cane does not use");
  auto shape = unsigned_numbers(value["shape"]);
  if (!shape) fail("has a shape that is no list of sizes");
  const auto offsets = unsigned_numbers(value["data_offsets"]);
  if (!offsets || offsets->size() != 2) fail("has data_offsets that are no pair of offsets");
  const std::uint64_t begin = offsets->front();
  const std::uint64_t end = offsets->back();
  std::uint64_t bytes = 0;
  if (!tensor_bytes(element->type, *shape, bytes) || begin > end || bytes != end - begin) {
    fail("has data_offsets that do not fit its shape");
  }
  return {begin, end, name, element->type, *std::move(shape)};
}

/// The tensors in file order; they must cover the data section without gaps or overlap.
std::vector<Entry> parse_entries(const std::string& path, const json& header,
                                 std::size_t header_size, std::size_t file_size) {
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != kMetadataKey) entries.push_back(parse_entry(path, name, value));
  }
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  const std::uint64_t data_size = file_size - header_size;
  std::uint64_t expected = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != expected) {
      throw_damaged(path, fmt::format("tensor {} begins at offset {} of the data, not at {}",
                                      in_quotes(entry.name), entry.begin, expected));
    }
    if ((header_size + entry.begin) % element_type(entry.type).size != 0) {
      throw_damaged(path, fmt::format("tensor {} is not aligned", in_quotes(entry.name)));
    }
    expected = entry.end;
  }
  if (expected > data_size) fail_cut_off(path, file_size, header_size + expected);
  if (expected < data_size) {
    throw_damaged(path, fmt::format("{} bytes follow the last tensor", data_size - expected));
  }
  return entries;
}

std::map<std::string, std::string> parse_metadata(const std::string& path, const json& header) {
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : header.at(std::string(kMetadataKey)).items()) {
    if (!value.is_string())
      throw_damaged(path, fmt::format("metadata {} is no string", in_quotes(key)));
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

/// What is written: the header, and every tensor behind it in the order of its place.
struct Content {
  std::string header;
  std::vector<std::span<const std::byte>> tensors;
};

Content content_of(const std::string& path, std::span<const TensorToWrite> tensors,
                   const std::map<std::string, std::string>& metadata) {
  const SafetensorsLayout layout = layout_of(path, tensors);
  Content content;
  std::vector<std::string> checksums;
  for (const SafetensorsLayout::Place& place : layout.places()) {
    content.tensors.push_back(tensors[place.tensor].bytes);
    checksums.push_back(checksum_of(content.tensors.back()));
  }
  content.header = layout.header(metadata, checksums);
  return content;
}

}  // namespace

std::string safetensors_bytes(std::span<const TensorToWrite> tensors,
                              const std::map<std::string, std::string>& metadata) {
  const Content content = content_of("the model", tensors, metadata);
  std::string bytes = content.header;
  std::size_t size = bytes.size();
  for (const auto tensor : content.tensors) size += tensor.size();
  bytes.reserve(size);
  for (const auto tensor : content.tensors) {
    bytes.append(reinterpret_cast<const char*>(tensor.data()), tensor.size());
  }
  return bytes;
}

void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  AtomicFile file(path);
  write_safetensors(file, tensors, metadata);
}

void write_safetensors(AtomicFile& file, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const Content content = content_of(file.path(), tensors, metadata);
  file.write(content.header);
  for (const auto tensor : content.tensors) file.write(tensor);
  file.commit();
}

SafetensorsFile::SafetensorsFile(const std::string& path)
    : SafetensorsFile(std::make_shared<const MappedFile>(path)) {}

SafetensorsFile::SafetensorsFile(const std::string& name, std::span<const std::byte> content)
    : SafetensorsFile(std::make_shared<const MappedFile>(name, content)) {}

SafetensorsFile::SafetensorsFile(std::shared_ptr<const MappedFile> mapping)
    : mapping_(std::move(mapping)) {
  const std::string& path = mapping_->path();
  const auto file = mapping_->bytes();
  const auto header = verified_header(path, file);
  const json description = parse_header(path, header);
  metadata_ = parse_metadata(path, description);
  metadata_.erase(std::string(kHeaderChecksumKey));
  for (Entry& entry : parse_entries(path, description, header.size(), file.size())) {
    const auto bytes = file.subspan(header.size() + static_cast<std::size_t>(entry.begin),
                                    static_cast<std::size_t>(entry.end - entry.begin));
    const auto sum = metadata_.extract(std::string(kTensorChecksumPrefix) + entry.name);
    if (sum.empty())
      throw_damaged(path, fmt::format("tensor {} has no checksum", in_quotes(entry.name)));
    if (sum.mapped() != checksum_of(bytes)) {
      throw_damaged(path,
                    fmt::format("the checksum of tensor {} does not match", in_quotes(entry.name)));
    }
    tensors_.emplace(std::move(entry.name), Tensor{entry.type, std::move(entry.shape), bytes});
  }
  for (const auto& [key, value] : metadata_) {
    if (key.starts_with(kChecksumPrefix)) {
      throw_damaged(path, fmt::format("{} is the checksum of nothing in the file", in_quotes(key)));
    }
  }
}

const std::string& SafetensorsFile::path() const {
  return mapping_->path();
}

const std::string& SafetensorsFile::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) {
    throw_damaged(path(), fmt::format("the metadata entry '{}' is missing", key));
  }
  return found->second;
}

std::span<const std::byte> SafetensorsFile::checked_bytes(const std::string& name,
                                                          TensorType type) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw_damaged(path(), fmt::format("tensor '{}' is missing", name));
  if (found->second.type != type) {
    throw_damaged(path(),
                  fmt::format("tensor '{}' is {}, not {}", name,
                              element_type(found->second.type).name, element_type(type).name));
  }
  return found->second.bytes;
}

void throw_damaged(const SafetensorsFile& file, const std::string& what) {
  throw_damaged(file.path(), what);
}

}  // namespace cane
