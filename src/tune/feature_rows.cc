#include "tune/feature_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "cane/names.h"
#include "methods/encoder_table.h"

namespace cane {
namespace {

DataOptions fill_in(DataOptions options, const FeatureRow& row) {
  const auto fill = [](auto& option, auto automatic, auto value) {
    if (option == automatic) option = value;
  };
  fill(options.tokenizer, TokenizerKind::kAuto, row.tokenizer);
  fill(options.weights, FeatureWeights::kAuto, row.weights);
  fill(options.word_ngrams, 0U, row.word_ngrams);
  fill(options.char_ngrams, CharNgrams::automatic(), row.char_ngrams);
  fill(options.normalize, Normalize::kAuto, row.normalize);
  return options;
}

auto features_of(const DataOptions& options) {
  return std::tuple(options.tokenizer, options.weights, options.word_ngrams,
                    options.char_ngrams.min, options.char_ngrams.max, options.normalize,
                    options.min_count, options.ngram_count);
}

}  // namespace

bool makes_the_same(const DataOptions& a, const DataOptions& b) {
  return features_of(a) == features_of(b);
}

std::vector<DataOptions> ways_from(FeatureSource source, const DataOptions& asked) {
  std::vector<DataOptions> ways;
  for (const FeatureRow& row : kFeatureRows) {
    if (row.source != source) continue;
    const DataOptions way = fill_in(asked, row);
    const bool is_new = std::ranges::none_of(
        ways, [&](const DataOptions& other) { return makes_the_same(other, way); });
    if (is_new) ways.push_back(way);
  }
  return ways;
}

DataOptions usual_way(FeatureSource source, const DataOptions& asked) {
  const auto row = std::ranges::find_if(kFeatureRows, [&](const FeatureRow& candidate) {
    return candidate.source == source && candidate.is_usual;
  });
  return fill_in(asked, *row);
}

std::string way_name(FeatureSource source, const DataOptions& way, EncoderKind encoder) {
  std::string name = source == FeatureSource::kGiven ? "features" : name_of(way.tokenizer);
  if (way.word_ngrams > 1) name += fmt::format(", runs of {}", way.word_ngrams);
  if (way.char_ngrams.max > 0 && way.char_ngrams != CharNgrams::automatic()) {
    name +=
        way.char_ngrams == CharNgrams::ends()
            ? std::string(", ends of words")
            : fmt::format(", pieces of {}-{} letters", way.char_ngrams.min, way.char_ngrams.max);
  }
  name += fmt::format("; {}",
                      way.weights == FeatureWeights::kAuto ? "as they are" : name_of(way.weights));
  if (way.normalize != Normalize::kAuto)
    name += way.normalize == Normalize::kL2 ? ", l2" : ", no l2";
  if (way.min_count > 1) name += fmt::format("; words seen {} times", way.min_count);
  if (way.ngram_count > 0) name += fmt::format("; n-grams seen {} times", way.ngram_count);
  if (row_of(encoder).has_layers) name += fmt::format("; {}", name_of(encoder));
  return name;
}

}  // namespace cane
