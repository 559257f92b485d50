// Options of a sampled output layer. They are checked once, when the layer is made.
#pragma once

#include <cstdint>
#include <string>

#include "methods/method_table.h"

namespace cane::lm {

/// Candidates that each token selects for itself, in addition to the candidates of the batch.
enum class OwnCandidates { kNone, kSubset, kLowRank, kNgram };

/// A union of candidates, as in "frequent+ngram".
struct CandidateSources {
  bool frequent = false;  // the most frequent words, for the whole batch
  bool batch = false;     // labels of other tokens of the batch
  OwnCandidates own = OwnCandidates::kNone;
};

/// Parses "subset", "frequent", "low-rank", "ngram", "batch", or several joined by "+", at most one
/// of which is subset, low-rank or ngram. Models of 0.1 say "narrow" for low-rank. Throws Error.
CandidateSources parse_selection(const std::string& text);

enum class NoiseLawKind {
  kUniform,
  kUnigram,  // count^power
  kNgram,    // the n-gram model of selection ngram, outside its best words; per token only
};

struct SampledOptions {
  Method method = Method::kCane;
  CandidateSources selection;    // where the method has candidates
  std::int64_t frequent = 1000;  // words of selection frequent
  std::int64_t candidates = 80;  // per token, for subset, low-rank and ngram
  std::int64_t noises = 500;     // per token, or for the batch if shared
  bool shared_noises = true;     // the same noises for all tokens of a batch
  NoiseLawKind noise = NoiseLawKind::kUnigram;
  float power = 0.75F;       // exponent of kUnigram
  std::int64_t subsets = 6;  // number of subsets of selection subset
  std::int64_t rank = 32;    // rank of the scorer of selection low-rank
};

/// The method of the sampled head of this name. Throws Error if there is none.
Method sampled_method(const std::string& head);

/// Throws Error if options contradict each other or the number of words.
void check(const SampledOptions& options, std::int64_t words);

}  // namespace cane::lm
