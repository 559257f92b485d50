#include "core/file/zip_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/file/folder_files.h"

namespace cane {
namespace {

constexpr std::string_view kMagic = "PK\x03\x04";

[[noreturn]] void throw_damaged(const std::string& path, archive* zip) {
  const char* const reason = archive_error_string(zip);
  throw Error(fmt::format("{}: the archive cannot be read ({}); get the file again", path,
                          shown(reason == nullptr ? "damaged" : reason)));
}

}  // namespace

bool is_zip(const std::string& path) {
  return begins_with(path, kMagic);
}

std::map<std::string, std::string> read_zip(
    const std::string& path, const std::function<std::uint64_t(const std::string& name)>& most) {
  const std::unique_ptr<archive, decltype(&archive_read_free)> zip(archive_read_new(),
                                                                   archive_read_free);
  archive_read_support_format_zip(zip.get());
  constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
  if (archive_read_open_filename(zip.get(), path.c_str(), kBlockBytes) != ARCHIVE_OK) {
    throw_damaged(path, zip.get());
  }
  std::map<std::string, std::string> members;
  archive_entry* entry = nullptr;
  while (true) {
    const int status = archive_read_next_header(zip.get(), &entry);
    if (status == ARCHIVE_EOF) return members;
    if (status != ARCHIVE_OK) throw_damaged(path, zip.get());
    const char* const entry_name = archive_entry_pathname(entry);
    const std::string name = entry_name == nullptr ? "" : entry_name;
    std::string& content = members[name];
    content.clear();
    for (const std::uint64_t wanted = most(name); content.size() <= wanted && wanted > 0;) {
      const void* part = nullptr;
      std::size_t size = 0;
      la_int64_t offset = 0;
      const int read = archive_read_data_block(zip.get(), &part, &size, &offset);
      if (read == ARCHIVE_EOF) break;
      if (read != ARCHIVE_OK || offset < 0 ||
          static_cast<std::uint64_t>(offset) != content.size()) {
        throw_damaged(path, zip.get());
      }
      content.append(static_cast<const char*>(part), size);
    }
  }
}

}  // namespace cane
