#include <fmt/format.h>

#include "cane/error.h"
#include "data/text_loader.h"

namespace cane {

void check_feature_options(const std::string& name, bool has_words, const DataOptions& options,
                           const Vocabulary* known) {
  constexpr std::uint32_t kMostHashBits = 30;
  if (known != nullptr) {
    const bool knows_words = known->feature_kind != FeatureKind::kIndices;
    if (knows_words == has_words) return;
    throw Error(
        fmt::format("{}: the features are {}, but the model was trained on {}; give data of the "
                    "kind it was trained on",
                    name, has_words ? "words" : "indices", knows_words ? "words" : "indices"));
  }
  if (!has_words && (options.hash_bits > 0 || options.min_count > 1)) {
    throw Error(fmt::format(
        "{}: {} is for word formats (vw, fasttext), but the features here are indices; leave it "
        "out",
        name, options.hash_bits > 0 ? "--hash-bits" : "--min-count"));
  }
  if (options.hash_bits > kMostHashBits) {
    throw Error(fmt::format("--hash-bits {}: must be from 1 to {}, or 0 for a dictionary of words",
                            options.hash_bits, kMostHashBits));
  }
  if (options.hash_bits > 0 && options.min_count > 1) {
    throw Error(
        "--min-count works with a dictionary of words, not with --hash-bits; leave one of them "
        "out");
  }
}

}  // namespace cane
