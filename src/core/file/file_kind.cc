#include "core/file/file_kind.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <array>
#include <fstream>
#include <string_view>

#include "cane/error.h"

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

FileKind kind_of_opening(std::string_view opening) {
  constexpr std::string_view kMetadata = "{\"__metadata__\":{";
  constexpr std::size_t kLengthBytes = 8;
  if (opening.starts_with("cane-tree ")) return FileKind::kTree;
  if (opening.starts_with("{\"event\":\"")) return FileKind::kLog;
  if (opening.starts_with("class,precision,recall,f1,")) return FileKind::kClassMeasures;
  if (opening.size() <= kLengthBytes) return FileKind::kUnknown;
  const std::string_view header = opening.substr(kLengthBytes);
  return header.starts_with(kMetadata) ? kind_of_tensors(header) : FileKind::kUnknown;
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return FileKind::kNothing;
  if (!S_ISREG(status.st_mode)) return FileKind::kUnknown;
  if (status.st_size == 0) return FileKind::kNothing;
  if (has_mark(path, status)) return FileKind::kPredictions;
  // The metadata of the largest model has some hundred checksums before the format.
  std::string opening(std::size_t{1} << 18, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(opening.data(), static_cast<std::streamsize>(opening.size()));
  opening.resize(static_cast<std::size_t>(file.gcount()));
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
