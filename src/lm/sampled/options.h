// What a sampled output layer is made of. Checked once, when the layer is made.
#pragma once

#include <cstdint>
#include <string>

#include "methods/method_table.h"

namespace cane::lm {

/// Candidates that each token has for itself, in addition to those of the batch.
enum class OwnCandidates { kNone, kSubset, kLowRank, kNgram };

/// A union of candidates, as in "frequent+ngram".
struct CandidateSources {
  bool frequent = false;  // the most frequent words, for the whole batch
  bool batch = false;     // labels of other tokens of the batch
  OwnCandidates own = OwnCandidates::kNone;
};

/// "subset", "frequent", "low-rank", "ngram", "batch", or several joined by "+", of which one at
/// most is subset, low-rank or ngram. Models of 0.1 say "narrow" for low-rank. Throws Error.
CandidateSources parse_selection(const std::string& text);

/// The methods that draw noises, of the table that the classifiers have as well. Throws Error.
Method parse_method(const std::string& text);

enum class NoiseLawKind {
  kUniform,
  kUnigram,  // count^power
  kNgram,    // the n-gram model of selection ngram, outside its best words; per token only
};

struct SampledOptions {
  Method method = Method::kCane;
  CandidateSources selection;    // where the method has candidates
  std::int64_t frequent = 1000;  // words of selection frequent
  std::int64_t candidates = 80;  // for each token, of subset, low-rank and ngram
  std::int64_t noises = 500;     // for each token, or of the batch
  bool shared_noises = true;     // the same noises for all tokens of a batch
  NoiseLawKind noise = NoiseLawKind::kUnigram;
  float power = 0.75F;       // of kUnigram
  std::int64_t subsets = 6;  // of selection subset
  std::int64_t rank = 32;    // of the scorer of selection low-rank
};

/// Throws Error if options contradict each other or the number of words.
void check(const SampledOptions& options, std::int64_t words);

}  // namespace cane::lm
