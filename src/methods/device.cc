#include "methods/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "cane/error.h"
#include "methods/config_facts.h"
#include "methods/names_where.h"

namespace cane {
namespace {

constexpr std::string_view kGpu = "cuda";
// No machine has more; a longer number is a slip.
constexpr int kMostDevices = 1024;

// Refuses the row that was chosen of a table unless the device has it.
template <typename Rows, typename Row>
void check_row(const TrainConfig& config, const Rows& rows, const Row& chosen, const char* option) {
  if (chosen.trains_on_device) return;
  const auto is_there = [](const Row& row) { return row.trains_on_device; };
  throw OptionError(
      "device", fmt::format("{} does not train `{} {}`", config.device, option, chosen.name),
      fmt::format("it has {}; begin with one of these, such as `{} {}`, or use `device cpu`",
                  names_where(rows, is_there), option, std::ranges::find_if(rows, is_there)->name));
}

}  // namespace

DeviceName parse_device(const std::string& text) {
  if (text == TrainConfig::kProcessor) return {text, 0};
  std::string_view rest = text;
  if (rest.starts_with(kGpu)) {
    rest.remove_prefix(kGpu.size());
    if (rest.empty()) return {std::string(kGpu), 0};
    int number = -1;
    const char* const end = rest.data() + rest.size();
    if (rest.front() == ':' && rest.size() > 1 && rest[1] != '-') {
      const auto [stop, error] = std::from_chars(rest.data() + 1, end, number);
      if (error == std::errc() && stop == end && number < kMostDevices) {
        return {std::string(kGpu), number};
      }
    }
  }
  throw OptionError("device", fmt::format("unknown value '{}'", text),
                    "it takes cpu, cuda, or cuda:N for the GPU of number N");
}

bool trains_on_device(const TrainConfig& config) {
  return config.device != TrainConfig::kProcessor;
}

void check_device_has(const TrainConfig& config) {
  if (!trains_on_device(config)) return;
  const MethodRow& method = row_of(config.method);
  check_row(config, kMethods, method, "method");
  if (method.has_candidates) check_row(config, kSelectors, row_of(config.select), "select");
  check_row(config, kEncoders, row_of(config.encoder), "encoder");
}

}  // namespace cane
