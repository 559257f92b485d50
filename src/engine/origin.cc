#include "engine/origin.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string_view>

#include "core/file/checksum.h"
#include "core/file/folder_files.h"

namespace cane {
namespace {

// The time that the environment gives for outputs that must not depend on the clock
// (https://reproducible-builds.org/specs/source-date-epoch).
std::optional<std::time_t> given_time() {
  const char* const text = std::getenv("SOURCE_DATE_EPOCH");
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  std::time_t seconds = 0;
  const auto [end, problem] = std::from_chars(digits.begin(), digits.end(), seconds);
  if (problem != std::errc() || end != digits.end()) return std::nullopt;
  return seconds;
}

std::string date_text(std::time_t seconds) {
  std::tm fields{};
  if (::gmtime_r(&seconds, &fields) == nullptr) return {};
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return {text.data(), length};
}

}  // namespace

Origin origin_of(const LoadedData& data, const TrainConfig& config) {
  Origin origin;
  origin.note = config.note;
  if (const std::optional<std::time_t> given = given_time()) {
    origin.date = date_text(*given);
  } else if (!config.deterministic) {
    origin.date = date_text(std::time(nullptr));
  }
  if (data.files.empty()) return origin;
  const std::string& path = data.files.front();
  origin.data = path == "-" ? "standard input" : last_name(path);
  origin.checksum = file_checksum(data.files);
  return origin;
}

}  // namespace cane
