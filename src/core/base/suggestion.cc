#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

#include "cane/names.h"

namespace cane {
namespace {

bool is_same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// Levenshtein distance, row by row.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (is_same_letter(a[i], b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

// Empty if none is near.
std::string nearest_name(std::string_view typed, std::span<const std::string_view> names) {
  std::string_view nearest;
  std::size_t fewest = 3;
  for (const std::string_view name : names) {
    const std::size_t edits = edits_between(typed, name);
    if (edits < fewest && edits < name.size()) {
      fewest = edits;
      nearest = name;
    }
  }
  return std::string(nearest);
}

}  // namespace

std::string suggestion(std::string_view typed, std::span<const std::string_view> names) {
  const std::string nearest = nearest_name(typed, names);
  return nearest.empty() ? nearest : fmt::format(" (do you mean '{}'?)", nearest);
}

}  // namespace cane
