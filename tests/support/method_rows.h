// Every row of the table of methods: each method, each selector of cane, and each noise law it can
// draw from. Add new methods and selectors here; all of their guarantees are then tested.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cane/config.h"

namespace cane::testing {

struct MethodRow {
  std::string name;
  TrainConfig config;
  /// Accuracy that it reaches after two passes over a few hundred easy examples.
  double accuracy = 0.8;

  bool is_online_tree() const {
    return config.method == Method::kFilterTree || config.method == Method::kLomTree ||
           config.method == Method::kRecallTree;
  }
};

inline std::ostream& operator<<(std::ostream& stream, const MethodRow& row) {
  return stream << row.name;
}

/// The name of a parameterised test.
struct RowName {
  template <typename Info>
  std::string operator()(const Info& info) const {
    return info.param.name;
  }
};

/// Whether tests that combine parts shall take a cover of the combinations instead of all.
bool only_a_cover();

/// All rows; where the environment says CANE_TEST_ROWS=pairs, rows that together have every pair of
/// parts that all rows have, and with CANE_TEST_ROWS=parts every part.
std::vector<MethodRow> method_rows();

/// Two passes that are bit-identical every time.
TrainConfig short_training(const MethodRow& row);

}  // namespace cane::testing
