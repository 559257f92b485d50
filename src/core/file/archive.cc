#include "core/file/archive.h"

#include "cane/error.h"

namespace cane {

void FieldReader::throw_unknown(const char* name, const std::string& value) const {
  const auto writer = file_.metadata().find("cane.writer");
  throw Error(fmt::format(
      "{}: its {} is '{}', which this program does not know; use {} or a later version, or train "
      "again",
      file_.path(), name, value,
      writer == file_.metadata().end() ? "the program that wrote it" : writer->second));
}

void ArchiveReader::check_count(const std::string& name, std::size_t found,
                                std::size_t expected) const {
  if (found == expected) return;
  throw_damaged(file_, fmt::format("{} has {} values and does not fit the model, which needs {}",
                                   name, found, expected));
}

}  // namespace cane
