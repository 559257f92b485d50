#include "data/memory/examples_part.h"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "core/base/types.h"

namespace cane {

ExamplesPart::ExamplesPart(const Examples& all, std::span<const std::uint32_t> chosen) {
  part_.labels = all.labels;
  for (const std::uint32_t example : chosen) classes_.push_back(all.classes[example]);
  if (const auto* const given = std::get_if<Texts>(&all.features)) {
    for (const std::uint32_t example : chosen) texts_.push_back(given->texts[example]);
    part_.features = Texts{texts_};
  } else {
    take_rows(std::get<SparseRows>(all.features), chosen);
  }
  drop_unused_labels();
  part_.classes = classes_;
}

void ExamplesPart::take_rows(const SparseRows& rows, std::span<const std::uint32_t> chosen) {
  offsets_.push_back(0);
  for (const std::uint32_t example : chosen) {
    const auto begin = static_cast<std::ptrdiff_t>(rows.offsets[example]);
    const auto end = static_cast<std::ptrdiff_t>(rows.offsets[example + 1]);
    indices_.insert(indices_.end(), rows.indices.begin() + begin, rows.indices.begin() + end);
    values_.insert(values_.end(), rows.values.begin() + begin, rows.values.begin() + end);
    offsets_.push_back(values_.size());
  }
  part_.features = SparseRows{offsets_, indices_, values_, rows.columns};
}

// Whole classes are left out of a sample, and a class without examples would be trained.
void ExamplesPart::drop_unused_labels() {
  std::vector<std::uint32_t> place(part_.labels.size(), kUnknownClass);
  std::vector<std::string> used;
  for (std::uint32_t& label : classes_) {
    if (place[label] == kUnknownClass) {
      place[label] = static_cast<std::uint32_t>(used.size());
      used.push_back(part_.labels[label]);
    }
    label = place[label];
  }
  part_.labels = std::move(used);
}

}  // namespace cane
