#include "data/reader/text_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cane/error.h"
#include "core/file/folder_files.h"
#include "data/reader/formats.h"
#include "data/reader/text_pieces.h"
#include "data/text/block_reader.h"
#include "data/text/number.h"

namespace cane {
namespace {

// Empty if there is none.
std::string first_line_of(const std::string& path) {
  BlockReader reader(open_text(path), {.block_bytes = std::size_t{1} << 16});
  for (TextBlock block; reader.next(block);) {
    for (std::string_view rest = block.text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      if (!is_blank_line(line)) return std::string(line);
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    if (block.long_line_follows) break;
  }
  return {};
}

}  // namespace

TextMembers members_of(const std::string& path) {
  if (!is_folder(path)) return {.name = path, .files = {path}};
  TextMembers members = {.name = path, .files = files_of_folder(path), .is_folder = true};
  if (members.files.empty()) {
    throw Error(fmt::format(
        "{}: there is no file with data in this folder; names that begin with . or _ do not count",
        path));
  }
  for (std::size_t member = 0; member < members.files.size(); ++member) {
    members.first_line = first_line_of(members.files[member]);
    members.first = members.first_line.empty() ? 0 : member;
    if (!members.first_line.empty()) break;
  }
  return members;
}

std::unique_ptr<TextSource> open_members(const TextMembers& members) {
  if (!members.is_folder) return open_text(members.name);
  std::vector<TextPiece> pieces;
  for (std::size_t member = members.first; member < members.files.size(); ++member) {
    pieces.push_back({.path = members.files[member], .member = member});
  }
  return open_pieces(std::move(pieces),
                     {.lines = {0, members.first_line}, .member = members.first, .is_kept = true},
                     std::make_shared<PieceLines>());
}

Format wanted_format(const TextMembers& members, const DataOptions& options) {
  if (options.format != Format::kAuto) return options.format;
  const Format of_file = format_of_name(members.files[members.first]);
  return of_file == Format::kAuto ? format_of_name(members.name) : of_file;
}

}  // namespace cane
