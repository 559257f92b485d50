#include "core/file/file_kind.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "cane/error.h"
#include "core/file/safetensors_layout.h"

namespace cane {
namespace {

constexpr const char* kMarkName = "user.cane.predictions";

// Size and time of the last change: a file that was changed since has lost its mark.
std::string mark_of(const struct stat& status) {
  return fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

bool has_mark(const std::string& path, const struct stat& status) {
  std::array<char, 64> mark;
  const ssize_t size = ::getxattr(path.c_str(), kMarkName, mark.data(), mark.size());
  return size > 0 &&
         std::string_view(mark.data(), static_cast<std::size_t>(size)) == mark_of(status);
}

constexpr std::size_t kOpeningBytes = std::size_t{1} << 12;

bool is_tensor_header(std::string_view opening) {
  constexpr std::string_view kMetadata = "{\"__metadata__\":{";
  return opening.size() > kLengthBytes && opening.substr(kLengthBytes).starts_with(kMetadata);
}

// As its first bytes say, and never more than a header or the file may have.
std::uint64_t header_bytes(std::string_view opening, std::uint64_t file_bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, opening.data(), sizeof length);
  return std::min({length, kLargestHeader, file_bytes});
}

// Fewer at the end of the file.
std::string read_some(std::ifstream& file, std::uint64_t bytes) {
  std::string read(bytes, '\0');
  file.read(read.data(), static_cast<std::streamsize>(read.size()));
  read.resize(static_cast<std::size_t>(file.gcount()));
  return read;
}

// The header of a safetensors file begins with its metadata, whose entries name the format.
FileKind kind_of_tensors(std::string_view header) {
  struct Row {
    std::string_view text;
    FileKind kind;
  };
  // The first row that is found counts. The entry "format" is that of version 0.1.
  constexpr Row kRows[] = {
      {"\"cane.checkpoint\":", FileKind::kCheckpoint},
      {"\"cane.format_version\":\"lm checkpoint ", FileKind::kLanguageModelCheckpoint},
      {"\"format\":\"cane-lm checkpoint ", FileKind::kLanguageModelCheckpoint},
      {"\"cane.format_version\":\"lm ", FileKind::kLanguageModel},
      {"\"format\":\"cane-lm model ", FileKind::kLanguageModel},
      {"\"cane.format_version\":", FileKind::kModel},
  };
  for (const Row& row : kRows) {
    if (header.find(row.text) != std::string_view::npos) return row.kind;
  }
  return FileKind::kUnknown;
}

// The first line of a log: {"event":"start","time":NUMBER,"options":{... or, where the training did
// not start, {"event":"error","time":NUMBER,"text":"... and nothing else.
bool is_log(std::string_view opening) {
  const auto begins = [&](std::string_view event, std::string_view next) {
    if (!opening.starts_with(event)) return false;
    const std::string_view rest = opening.substr(event.size());
    const std::size_t end = std::min(rest.find_first_not_of("0123456789.e+"), rest.size());
    return end > 0 && rest.substr(end).starts_with(next);
  };
  return begins("{\"event\":\"start\",\"time\":", ",\"options\":{") ||
         (begins("{\"event\":\"error\",\"time\":", ",\"text\":\"") &&
          opening.find('\n') + 1 == opening.size());
}

FileKind kind_of_opening(std::string_view opening) {
  constexpr std::string_view kTreeLine = "cane-tree 1";
  constexpr std::string_view kClassMeasuresLine =
      "class,precision,recall,f1,support,predicted,most_confused_with,times_confused";
  const std::string_view line = opening.substr(0, opening.find('\n'));
  if (line == kTreeLine) return FileKind::kTree;
  if (is_log(opening)) return FileKind::kLog;
  if (line == kClassMeasuresLine) return FileKind::kClassMeasures;
  return is_tensor_header(opening) ? kind_of_tensors(opening) : FileKind::kUnknown;
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return FileKind::kNothing;
  if (!S_ISREG(status.st_mode)) return FileKind::kUnknown;
  if (status.st_size == 0) return FileKind::kNothing;
  if (has_mark(path, status)) return FileKind::kPredictions;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::ifstream file(path, std::ios::binary);
  std::string opening = read_some(file, kOpeningBytes);
  // A table of many columns names them all before the format.
  if (is_tensor_header(opening)) opening += read_some(file, header_bytes(opening, size));
  return kind_of_opening(opening);
}

const char* kind_text(FileKind kind) {
  switch (kind) {
    case FileKind::kNothing:
      return "empty";
    case FileKind::kModel:
      return "a model of `cane train`";
    case FileKind::kCheckpoint:
      return "a checkpoint of `cane train`";
    case FileKind::kLanguageModel:
      return "a model of `cane-lm train`";
    case FileKind::kLanguageModelCheckpoint:
      return "a checkpoint of `cane-lm train`";
    case FileKind::kTree:
      return "a tree of `cane tree`";
    case FileKind::kLog:
      return "a log of a training";
    case FileKind::kPredictions:
      return "what `cane predict` wrote last";
    case FileKind::kClassMeasures:
      return "a table of classes by `cane test`";
    case FileKind::kResults:
      return "a file of an earlier run";
    case FileKind::kUnknown:
      break;
  }
  return "a file of unknown origin";
}

void check_is_data(const std::string& path) {
  switch (const FileKind kind = kind_of_file(path)) {
    case FileKind::kModel:
    case FileKind::kCheckpoint:
    case FileKind::kLanguageModel:
    case FileKind::kLanguageModelCheckpoint:
    case FileKind::kTree:
    case FileKind::kLog:
      throw Error(fmt::format("{}: it is {}, not data; give a file with examples in its place",
                              path, kind_text(kind)));
    default:
      return;
  }
}

void mark_as_predictions(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return;
  const std::string mark = mark_of(status);
  ::fsetxattr(descriptor, kMarkName, mark.data(), mark.size(), 0);
}

}  // namespace cane
