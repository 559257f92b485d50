// Compressed texts as the usual programs write them, for tests of the readers.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <cassert>
#include <map>
#include <string>
#include <string_view>

namespace cane::testing {

/// The compressions that open_text reads, by the names that libarchive gives them.
inline constexpr const char* kCompressions[] = {"gzip", "zstd", "xz", "bzip2", "lz4"};

inline std::string compressed(std::string_view text, const char* compression) {
  archive* const writer = archive_write_new();
  archive_write_add_filter_by_name(writer, compression);
  archive_write_set_format_raw(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  std::string packed(2 * text.size() + 1000, '\0');
  std::size_t size = 0;
  archive_write_open_memory(writer, packed.data(), packed.size(), &size);
  archive_entry* const entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(writer, entry);
  archive_write_data(writer, text.data(), text.size());
  archive_entry_free(entry);
  [[maybe_unused]] const int status = archive_write_close(writer);
  assert(status == ARCHIVE_OK);
  archive_write_free(writer);
  packed.resize(size);
  return packed;
}

/// A zip archive of files, as numpy.savez_compressed makes it.
inline std::string zip(const std::map<std::string, std::string>& files) {
  archive* const writer = archive_write_new();
  archive_write_set_format_zip(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  std::size_t most = 1000;
  for (const auto& [name, content] : files) most += 2 * content.size() + 1000;
  std::string packed(most, '\0');
  std::size_t size = 0;
  archive_write_open_memory(writer, packed.data(), packed.size(), &size);
  for (const auto& [name, content] : files) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_write_header(writer, entry);
    archive_write_data(writer, content.data(), content.size());
    archive_entry_free(entry);
  }
  [[maybe_unused]] const int status = archive_write_close(writer);
  assert(status == ARCHIVE_OK);
  archive_write_free(writer);
  packed.resize(size);
  return packed;
}

inline std::string gzip(std::string_view text) {
  return compressed(text, "gzip");
}

}  // namespace cane::testing
