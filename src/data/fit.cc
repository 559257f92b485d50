#include "data/fit.h"

#include <fmt/format.h>

#include <algorithm>

namespace cane {
namespace {

// Lengths vary by themselves; what is this far outside is another unit.
constexpr float kFarOutside = 3.0F;
constexpr double kMostUnknown = 0.5;

}  // namespace

void FitCheck::look(const RowView& row) {
  lengths_.push_back(row_length(row));
  if (vocabulary_.feature_kind != FeatureKind::kWords) return;
  const auto words = static_cast<FeatureId>(vocabulary_.words.size());
  words_ += static_cast<std::uint64_t>(
      std::count_if(row.indices, row.indices + row.count,
                    [words](FeatureId feature) { return feature < words; }));
}

std::vector<std::string> FitCheck::warnings(double dropped_per_row) const {
  std::vector<std::string> found;
  if (vocabulary_.feature_kind == FeatureKind::kWords && !lengths_.empty()) {
    const double known = static_cast<double>(words_) / static_cast<double>(lengths_.size());
    const double unknown = dropped_per_row / std::max(known + dropped_per_row, 1e-30);
    if (unknown > kMostUnknown) {
      found.push_back(fmt::format(
          "{:.0f}% of the words were never seen in training; is it text of another kind or "
          "language, or cut into words otherwise?",
          100.0 * unknown));
    }
  }
  if (vocabulary_.feature_kind == FeatureKind::kIndices && dropped_per_row > 0.0) {
    found.push_back(fmt::format(
        "it has features that training never saw, beyond the {} of the model; they are left out",
        vocabulary_.dimension));
  }
  const RowLengths lengths = quantiles_of(lengths_);
  if (!trained_.is_known() || !lengths.is_known()) return found;
  if (lengths.median > kFarOutside * trained_.high || kFarOutside * lengths.median < trained_.low) {
    found.push_back(
        fmt::format("the features are on another scale than in training: a row has the length "
                    "{:.3g} in the median, and had {:.3g}; scale them as they were",
                    lengths.median, trained_.median));
  }
  return found;
}

std::vector<std::string> warnings_about(const LoadedData& data, const Vocabulary& vocabulary,
                                        const RowLengths& trained) {
  const DatasetView& view = data.view;
  FitCheck check(vocabulary, trained);
  std::vector<float> scratch(view.is_dense() ? view.dimension() : 0);
  for (const std::size_t example : sample_examples(view.size())) {
    check.look(view.row(example, scratch));
  }
  return check.warnings(static_cast<double>(data.report.ignored_features) /
                        static_cast<double>(std::max<std::size_t>(view.size(), 1)));
}

}  // namespace cane
