#include "tune/pilot_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cane/error.h"
#include "cane/fields.h"
#include "cane/names.h"
#include "core/base/field_text.h"
#include "methods/config_facts.h"
#include "methods/step_work.h"

namespace cane {
namespace {

// A setting that costs more than this many times the automatic one is not tried: it would have to
// be far better, and measuring it would take the budget of the others.
constexpr double kDearest = 4.0;

// Sets what the user left open to the value of the row, unless the row leaves it open, too. Returns
// false if the user gave another value.
template <typename T>
bool agree(T& asked, T row) {
  constexpr T kOpen{};
  if (row == kOpen || asked == row) return true;
  if (asked != kOpen) return false;
  asked = row;
  return true;
}

std::optional<TrainConfig> with_row(TrainConfig config, const PilotRow& row,
                                    const DataFacts& facts) {
  const bool agrees = agree(config.method, row.method) && agree(config.select, row.select) &&
                      agree(config.rank, row.rank) && agree(config.candidates, row.candidates) &&
                      agree(config.noises, row.noises);
  if (!agrees) return std::nullopt;
  try {
    return resolve(config, facts).config;
  } catch (const Error&) {
    return std::nullopt;  // it contradicts another option of the user
  }
}

}  // namespace

std::vector<TrainConfig> pilot_settings(const TrainConfig& asked, const DataFacts& facts) {
  std::vector<TrainConfig> settings = {resolve(asked, facts).config};
  const double most = kDearest * step_work(settings.front(), facts);
  for (const PilotRow& row : kPilotRows) {
    const std::optional<TrainConfig> setting = with_row(asked, row, facts);
    if (!setting || step_work(*setting, facts) > most) continue;
    const bool is_new = std::ranges::none_of(settings, [&](const TrainConfig& other) {
      return differing_fields(other, *setting).empty();
    });
    if (is_new) settings.push_back(*setting);
  }
  return settings;
}

bool is_same_family(const TrainConfig& a, const TrainConfig& b) {
  return a.method == b.method && a.scorer == b.scorer && has_prior(a) == has_prior(b);
}

std::string setting_name(const TrainConfig& config) {
  std::string name = name_of(config.method);
  if (row_of(config.method).has_candidates) {
    name += fmt::format(" {} {}+{}", name_of(config.select), config.candidates, config.noises);
    if (has_projection(config)) name += fmt::format(", rank {}", config.rank);
  } else if (row_of(config.method).has_noises()) {
    name += fmt::format(" +{}", config.noises);
  }
  if (!has_encoder(config) && !has_prior(config) && config.start == StartKind::kZero)
    name += ", from zero";
  return name;
}

}  // namespace cane
