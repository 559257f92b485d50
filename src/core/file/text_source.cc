#include "core/file/text_source.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "cane/error.h"
#include "core/file/compressed_source.h"
#include "core/file/raw_file.h"

namespace cane {
namespace {

class PlainSource : public TextSource {
 public:
  explicit PlainSource(RawFile file) : file_(std::move(file)) {}
  std::size_t read(std::span<char> buffer) override { return file_.read(buffer); }

 private:
  RawFile file_;
};

}  // namespace

std::unique_ptr<TextSource> open_text(const std::string& path) {
  constexpr std::size_t kLongestMagic = 6;
  RawFile file(path);
  const std::string_view start = file.peek(kLongestMagic);
  if (start.starts_with("\x1F\x8B")) return open_gzip(std::move(file));
  if (start.starts_with("\x28\xB5\x2F\xFD")) return open_zstd(std::move(file));
  for (const auto& [magic, name] : {std::pair("\xFD\x37zXZ", "xz"), std::pair("BZh9", "bzip2"),
                                    std::pair("PK\x03\x04", "zip")}) {
    if (start.starts_with(magic)) {
      throw Error(fmt::format(
          "{}: {} compression is not read; decompress it, or compress it with gzip or zstd",
          source_name(path), name));
    }
  }
  return std::make_unique<PlainSource>(std::move(file));
}

}  // namespace cane
