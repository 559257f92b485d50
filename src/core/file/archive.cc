#include "core/file/archive.h"

#include <zstd.h>

#include <cstdint>
#include <stdexcept>

#include "cane/error.h"

namespace cane {
namespace {

constexpr int kCompressionLevel = 9;
// Distinct strings never compress by more than this factor; a forged file might claim so.
constexpr std::uint64_t kMaxCompressed = 1000;
constexpr std::uint64_t kSmallText = std::uint64_t{1} << 16;

// Each string is preceded by its length: bytes of 255 for 255 characters each, then one below 255.
constexpr std::uint8_t kLongPart = 255;

std::vector<std::uint8_t> with_lengths(std::span<const std::string> strings) {
  std::vector<std::uint8_t> text;
  for (const std::string& string : strings) {
    text.insert(text.end(), string.size() / kLongPart, kLongPart);
    text.push_back(static_cast<std::uint8_t>(string.size() % kLongPart));
  }
  for (const std::string& string : strings) text.insert(text.end(), string.begin(), string.end());
  return text;
}

std::vector<std::uint8_t> compress(std::span<const std::uint8_t> text) {
  std::vector<std::uint8_t> packed(ZSTD_compressBound(text.size()));
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), kCompressionLevel);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}

std::vector<std::uint8_t> decompress(const SafetensorsFile& file, const std::string& name) {
  const auto packed = file.values<std::uint8_t>(name);
  const std::uint64_t size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR ||
      size > packed.size() * kMaxCompressed + kSmallText) {
    throw_damaged(file, fmt::format("{} is not compressed as cane does it", name));
  }
  std::vector<std::uint8_t> text(static_cast<std::size_t>(size));
  if (ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()) != size) {
    throw_damaged(file, fmt::format("{} cannot be decompressed", name));
  }
  return text;
}

std::vector<std::string> split(const SafetensorsFile& file, const std::string& name,
                               std::span<const std::uint8_t> text,
                               std::span<const std::uint64_t> ends) {
  std::vector<std::string> strings;
  strings.reserve(ends.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    if (end < begin || end > text.size()) {
      throw_damaged(file, fmt::format("the ends of its {} are out of order", name));
    }
    strings.emplace_back(text.begin() + static_cast<std::ptrdiff_t>(begin),
                         text.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  if (begin != text.size()) {
    throw_damaged(file, fmt::format("the text of its {} has more than its strings", name));
  }
  return strings;
}

}  // namespace

void FieldReader::throw_unknown(const char* name, const std::string& value) const {
  const auto writer = file_.metadata().find("cane.writer");
  throw Error(fmt::format(
      "{}: its {} is {}, which this program does not know; use {} or a later version, or train "
      "again",
      file_.path(), name, in_quotes(value),
      writer == file_.metadata().end() ? "the program that wrote it" : shown(writer->second)));
}

void ArchiveWriter::strings(const std::string& name, const std::vector<std::string>& strings,
                            bool compressed) {
  if (compressed) {
    values(name + ".count", keep(std::vector<std::uint64_t>{strings.size()}));
    values(name + ".packed", keep(compress(with_lengths(strings))));
    return;
  }
  auto& ends = keep(std::vector<std::uint64_t>());
  auto& text = keep(std::vector<std::uint8_t>());
  for (const std::string& string : strings) {
    text.insert(text.end(), string.begin(), string.end());
    ends.push_back(text.size());
  }
  values(name + ".ends", ends);
  values(name + ".text", text);
}

void ArchiveReader::strings(const std::string& name, std::vector<std::string>& strings,
                            bool compressed) const {
  if (!compressed) {
    strings = split(file_, name, file_.values<std::uint8_t>(name + ".text"),
                    file_.values<std::uint64_t>(name + ".ends"));
    return;
  }
  const auto count = file_.values<std::uint64_t>(name + ".count");
  const std::vector<std::uint8_t> text = decompress(file_, name + ".packed");
  if (count.size() != 1 || count[0] > text.size()) {
    throw_damaged(file_, fmt::format("{}.count does not fit {}.packed", name, name));
  }
  std::vector<std::uint64_t> ends;
  ends.reserve(static_cast<std::size_t>(count[0]));
  std::size_t place = 0;
  for (std::uint64_t end = 0; ends.size() < count[0]; ++place) {
    if (place == text.size()) throw_damaged(file_, fmt::format("{}.packed lacks strings", name));
    end += text[place];
    if (text[place] != kLongPart) ends.push_back(end);
  }
  strings = split(file_, name, std::span(text).subspan(place), ends);
}

void ArchiveReader::check_count(const std::string& name, std::size_t found,
                                std::size_t expected) const {
  if (found == expected) return;
  throw_damaged(file_, fmt::format("{} does not fit the model: it has {} values instead of {}",
                                   name, found, expected));
}

}  // namespace cane
