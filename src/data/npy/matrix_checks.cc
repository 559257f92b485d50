#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cane/error.h"
#include "data/npy/npy.h"

namespace cane {

template <typename Element>
std::size_t find_bad(std::span<const Element> values) {
  constexpr auto kMax = double{std::numeric_limits<float>::max()};
  // Rows of such values can be squared, whatever their length; false for NaN.
  const auto is_small = [](Element value) { return std::abs(value) <= Element{1e14F}; };
  if (std::all_of(values.begin(), values.end(), is_small)) return values.size();
  const auto is_good = [](Element value) { return std::abs(double{value}) <= kMax; };
  const auto bad = std::find_if_not(values.begin(), values.end(), is_good);
  if (bad != values.end()) return static_cast<std::size_t>(bad - values.begin());
  double squares = 0.0;
  for (const Element value : values) squares += double{value} * double{value};
  if (squares <= kMax) return values.size();
  const auto less = [](Element a, Element b) { return std::abs(a) < std::abs(b); };
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end(), less) -
                                  values.begin());
}
template std::size_t find_bad(std::span<const float> values);
template std::size_t find_bad(std::span<const double> values);

std::string bad_value_text(const std::string& name, std::uint64_t row, std::uint64_t column,
                           double value) {
  return fmt::format(
      "{}: row {}, column {} (counted from 0): {} is {}; clean the data, or pass such rows over "
      "with `on_error skip`",
      name, row, column, value,
      std::abs(value) <= double{std::numeric_limits<float>::max()}
          ? "too large for a row to be squared"
          : "no finite 32-bit number");
}

RowRange share_of_rows(std::uint64_t rows, const Communicator& ranks) {
  const auto count = static_cast<std::uint64_t>(ranks.ranks());
  const auto start_of = [&](std::uint64_t rank) {
    return rows / count * rank + rows % count * rank / count;
  };
  const auto rank = static_cast<std::uint64_t>(ranks.rank());
  return {start_of(rank), start_of(rank + 1)};
}

FeatureId checked_dimension(const std::string& name, const std::vector<std::uint64_t>& shape,
                            const Vocabulary* known) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 31;
  if (shape.size() != 2) {
    throw Error(
        fmt::format("{}: the array has {} dimensions, but must have 2, a row for each example; "
                    "save X.reshape(len(X), -1)",
                    name, shape.size()));
  }
  const std::uint64_t dimension = shape[1];
  if (shape[0] == 0) {
    throw Error(fmt::format("{}: there are no examples; give a matrix with rows", name));
  }
  if (dimension == 0 || dimension > kMax) {
    throw Error(fmt::format("{}: {} columns; there must be from 1 to {}", name, dimension, kMax));
  }
  if (known != nullptr && dimension != known->dimension) {
    throw Error(
        fmt::format("{}: {} columns, but the model was trained on {} features; give the features "
                    "it was trained on",
                    name, dimension, known->dimension));
  }
  return static_cast<FeatureId>(dimension);
}

RowLabels labels_beside(const std::string& path, std::uint64_t rows, const RowRange& range,
                        const DataOptions& options, Communicator& ranks) {
  std::string tried;
  const std::string labels_path = find_label_file(path, options.labels_path, tried);
  if (labels_path.empty()) {
    if (options.require_labels) {
      throw Error(
          fmt::format("{}: no labels found beside it (tried {}); name the file with `labels_path`",
                      path, tried));
    }
    return {{}, std::vector<std::uint32_t>(range.size(), StringTable::kNone), {}};
  }
  return read_row_labels(labels_path, path, rows, range, ranks);
}

}  // namespace cane
