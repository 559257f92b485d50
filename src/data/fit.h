// Does new data fit what was learned from other data? Looks at rows that were read through a
// vocabulary, and says what the user may not expect.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/loaded_data.h"
#include "data/rows/row_lengths.h"
#include "data/vocabulary/vocabulary.h"

namespace cane {

class FitCheck {
 public:
  /// Both are those of the training; lengths may be unknown. The vocabulary must outlive this.
  FitCheck(const Vocabulary& vocabulary, const RowLengths& trained)
      : vocabulary_(vocabulary), trained_(trained) {}

  void look(const RowView& row);
  std::size_t rows() const { return lengths_.size(); }

  /// `dropped_per_row`: features of a row, in the mean, that the vocabulary lacks.
  std::vector<std::string> warnings(double dropped_per_row) const;

 private:
  const Vocabulary& vocabulary_;
  RowLengths trained_;
  std::vector<float> lengths_;
  std::uint64_t words_ = 0;  // known ones, n-grams left out
};

/// For data that was read through the vocabulary.
std::vector<std::string> warnings_about(const LoadedData& data, const Vocabulary& vocabulary,
                                        const RowLengths& trained);

}  // namespace cane
