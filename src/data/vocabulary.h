// What training learned about names: the classes' labels, and what a feature is. It is kept in the
// model, so that later data is read through it and nothing has to be repeated on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "cane/data_options.h"

namespace cane {

enum class FeatureKind : std::uint8_t { kIndices, kWords, kHashedWords };

struct Vocabulary {
  /// Class id -> label, in numeric order if all labels are whole numbers, else in byte order; those
  /// that came with further training follow in the order they came.
  std::vector<std::string> labels;
  FeatureKind feature_kind = FeatureKind::kIndices;
  /// Feature id -> word, for kWords only.
  std::vector<std::string> words;
  std::uint32_t hash_bits = 0;
  /// Number of features, the bias not counted.
  FeatureId dimension = 0;
  Normalize normalize = Normalize::kNone;

  bool operator==(const Vocabulary&) const = default;
};

/// Changes whenever anything in the vocabulary does.
std::uint64_t fingerprint(const Vocabulary& vocabulary);

}  // namespace cane
