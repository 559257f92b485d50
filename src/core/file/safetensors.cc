#include "core/file/safetensors.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <initializer_list>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/file/atomic_file.h"
#include "core/file/mapped_file.h"

namespace cane {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kDataAlignment = 64;
/// The limit of the reference implementation: other readers refuse a longer header.
constexpr std::uint64_t kLargestHeader = 100'000'000;

constexpr std::string_view kMetadataKey = "__metadata__";
constexpr std::string_view kChecksumPrefix = "checksum.";
constexpr std::string_view kHeaderChecksumKey = "checksum.header";
constexpr std::string_view kTensorChecksumPrefix = "checksum.tensor.";
constexpr std::string_view kHeaderOpening = R"({"__metadata__":{"checksum.header":")";
constexpr std::string_view kNoChecksum = "0000000000000000";

struct ElementType {
  TensorType type;
  std::string_view name;
  std::size_t size;
};
constexpr ElementType kElementTypes[] = {
    {TensorType::kUint8, "U8", 1},    {TensorType::kUint32, "U32", 4},
    {TensorType::kUint64, "U64", 8},  {TensorType::kFloat32, "F32", 4},
    {TensorType::kFloat64, "F64", 8}, {TensorType::kInt8, "I8", 1},
    {TensorType::kFloat16, "F16", 2}};

constexpr const ElementType& element_type(TensorType type) {
  return kElementTypes[static_cast<std::size_t>(type)];
}

/// Computes the size in bytes of a tensor of this shape; false if it does not fit into 64 bits.
bool tensor_bytes(TensorType type, std::span<const std::uint64_t> shape, std::uint64_t& bytes) {
  bytes = element_type(type).size;
  for (const std::uint64_t length : shape) {
    if (__builtin_mul_overflow(bytes, length, &bytes)) return false;
  }
  return true;
}

/// XXH3 (64 bits) of the concatenated parts, as 16 hexadecimal digits.
std::string checksum(std::initializer_list<std::span<const std::byte>> parts) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (state == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  for (const auto part : parts) XXH3_64bits_update(state.get(), part.data(), part.size());
  return fmt::format("{:016x}", XXH3_64bits_digest(state.get()));
}

/// The header begins with kHeaderOpening, 16 hexadecimal digits and a quotation mark. The digits
/// are the checksum of the whole header (length, JSON and padding), computed with those digits as
/// zeros. They are at a fixed offset so that a reader can verify the header before parsing it.
std::string header_checksum(std::span<const std::byte> header) {
  constexpr std::size_t kBegin = kLengthBytes + kHeaderOpening.size();
  return checksum({header.first(kBegin), std::as_bytes(std::span(kNoChecksum)),
                   header.subspan(kBegin + kNoChecksum.size())});
}

std::size_t alignment_of(const TensorToWrite& tensor) {
  return std::max(tensor.alignment, element_type(tensor.type).size);
}

void check_tensor(const std::string& path, const TensorToWrite& tensor, std::uint64_t begin) {
  std::uint64_t bytes = 0;
  if (!tensor_bytes(tensor.type, tensor.shape, bytes) || bytes != tensor.bytes.size()) {
    throw Error(fmt::format("{}: cannot write: tensor '{}' has {} bytes, which is not its shape",
                            path, tensor.name, tensor.bytes.size()));
  }
  // The data section is aligned, so offsets within it have the same alignment as in the file.
  if (begin % alignment_of(tensor) != 0) {
    throw Error(fmt::format(
        "{}: cannot write: tensor '{}' would begin at offset {}, no multiple of its alignment of "
        "{} bytes; make the tensors before it multiples of theirs",
        path, tensor.name, begin, alignment_of(tensor)));
  }
}

nlohmann::ordered_json describe_metadata(const std::string& path,
                                         std::span<const TensorToWrite> tensors,
                                         const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json entries;
  entries[std::string(kHeaderChecksumKey)] = kNoChecksum;
  for (const TensorToWrite& tensor : tensors) {
    entries[std::string(kTensorChecksumPrefix) + tensor.name] = checksum({tensor.bytes});
  }
  for (const auto& [key, value] : metadata) {
    if (key.starts_with(kChecksumPrefix)) {
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
  header[std::string(kMetadataKey)] = describe_metadata(path, tensors, metadata);
  std::set<std::string_view> names = {kMetadataKey};
  std::uint64_t begin = 0;
  for (const TensorToWrite& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      throw Error(
          fmt::format("{}: cannot write: the tensor name '{}' is taken", path, tensor.name));
    }
    check_tensor(path, tensor, begin);
    const std::uint64_t end = begin + tensor.bytes.size();
    header[tensor.name] = {{"dtype", element_type(tensor.type).name},
                           {"shape", tensor.shape},
                           {"data_offsets", {begin, end}}};
    begin = end;
  }
  return header;
}

/// Length, JSON and padding, with the checksum filled in.
std::string header_bytes(const std::string& path, const nlohmann::ordered_json& description) {
  std::string header(kLengthBytes, '\0');
  try {
    header += description.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format(
        "{}: cannot write: a metadata entry or a tensor name is not UTF-8, which JSON demands",
        path));
  }
  assert(std::string_view(header).substr(kLengthBytes).starts_with(kHeaderOpening));
  while (header.size() % kDataAlignment != 0) header += ' ';
  const std::uint64_t length = header.size() - kLengthBytes;
  if (length > kLargestHeader) {
    throw Error(fmt::format(
        "{}: cannot write: the header has {} bytes, and the format allows {}; keep large values in "
        "tensors",
        path, length, kLargestHeader));
  }
  std::memcpy(header.data(), &length, kLengthBytes);
  const std::string sum = header_checksum(std::as_bytes(std::span(header)));
  header.replace(kLengthBytes + kHeaderOpening.size(), sum.size(), sum);
  return header;
}

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

}  // namespace

namespace {

std::vector<TensorToWrite> by_alignment(std::span<const TensorToWrite> tensors) {
  std::vector<TensorToWrite> sorted(tensors.begin(), tensors.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), alignment_of);
  return sorted;
}

}  // namespace

std::string safetensors_bytes(std::span<const TensorToWrite> tensors,
                              const std::map<std::string, std::string>& metadata) {
  const std::string name = "the model";
  const std::vector<TensorToWrite> sorted = by_alignment(tensors);
  std::string bytes = header_bytes(name, describe(name, sorted, metadata));
  std::size_t size = bytes.size();
  for (const TensorToWrite& tensor : sorted) size += tensor.bytes.size();
  bytes.reserve(size);
  for (const TensorToWrite& tensor : sorted) {
    bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  }
  return bytes;
}

void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::vector<TensorToWrite> sorted = by_alignment(tensors);
  const std::string header = header_bytes(path, describe(path, sorted, metadata));
  AtomicFile file(path);
  file.write(header);
  for (const TensorToWrite& tensor : sorted) file.write(tensor.bytes);
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
    if (sum.mapped() != checksum({bytes})) {
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
