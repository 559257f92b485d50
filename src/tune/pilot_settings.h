// The settings that a pilot compares: a table with one row for each. To let the pilot consider
// another setting, add a row.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cane/config.h"
#include "methods/resolve.h"

namespace cane {

struct PilotRow {
  Method method{};
  /// What is left out here is open, and resolve() fills it in.
  SelectorKind select{};
  std::uint32_t rank = 0;
  std::uint32_t candidates = 0;
  std::uint32_t noises = 0;
};

inline constexpr std::array kPilotRows = {
    PilotRow{.method = Method::kSoftmax},
    PilotRow{.method = Method::kCane, .select = SelectorKind::kNarrow, .rank = 16},
    PilotRow{
        .method = Method::kCane, .select = SelectorKind::kNarrow, .rank = 32, .candidates = 20},
    PilotRow{.method = Method::kCane, .select = SelectorKind::kBeam},
    PilotRow{.method = Method::kCane, .select = SelectorKind::kBeam, .candidates = 20},
    PilotRow{.method = Method::kCane, .select = SelectorKind::kTree, .rank = 16},
    PilotRow{.method = Method::kCane, .select = SelectorKind::kTree, .rank = 32, .candidates = 20},
    PilotRow{.method = Method::kCane, .select = SelectorKind::kCentroid},
    PilotRow{.method = Method::kCane, .select = SelectorKind::kHsm},
    PilotRow{.method = Method::kNce, .noises = 50},
    PilotRow{.method = Method::kHsm},
};

/// The settings that come into question: what resolve() makes of the options alone, then every row
/// of the table that agrees with all that the user gave and costs no more than a few times the
/// first. They are resolved, except that a rate the user did not give stays open; no two are equal.
std::vector<TrainConfig> pilot_settings(const TrainConfig& asked, const DataFacts& facts);

/// Settings of one family differ in how they find candidates only: a replica, whose classes are
/// few, does not tell them apart.
bool is_same_family(const TrainConfig& a, const TrainConfig& b);

/// A short name: "cane narrow 20+1, rank 32, from zero".
std::string setting_name(const TrainConfig& config);

}  // namespace cane
