#include "lm/sampled/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cane/error.h"

namespace cane::lm {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(message);
}

void choose_own(CandidateSources& selection, OwnCandidates own, const std::string& text) {
  if (selection.own != OwnCandidates::kNone) {
    refuse(
        fmt::format("`select {}`: a token can have candidates of one kind only; take one of "
                    "subset, low-rank and ngram",
                    text));
  }
  selection.own = own;
}

void require_between(const char* field, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  throw OptionError(field, fmt::format("{} is not between {} and {}", value, least, most));
}

}  // namespace

CandidateSources parse_selection(const std::string& text) {
  CandidateSources selection;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    begin = end + 1;
    if (name == "frequent") {
      selection.frequent = true;
    } else if (name == "batch") {
      selection.batch = true;
    } else if (name == "subset") {
      choose_own(selection, OwnCandidates::kSubset, text);
    } else if (name == "low-rank" || name == "narrow") {
      choose_own(selection, OwnCandidates::kLowRank, text);
    } else if (name == "ngram") {
      choose_own(selection, OwnCandidates::kNgram, text);
    } else {
      refuse(
          fmt::format("`select`: there is no selection '{}'; there are frequent, batch, subset, "
                      "low-rank and ngram, and unions such as frequent+batch",
                      name));
    }
  }
  return selection;
}

void check(const SampledOptions& options, std::int64_t words) {
  constexpr std::int64_t kMaxDraws = 1 << 20;
  if (words < 2) refuse(fmt::format("a vocabulary of {} words; at least 2 are needed", words));
  require_between("noises", options.noises, 1, kMaxDraws);
  if (!(options.power >= 0.0F && options.power <= 10.0F)) {
    throw OptionError("noise_power", fmt::format("{} is not between 0 and 10", options.power));
  }
  const MethodRow& method = row_of(options.method);
  if (!method.has_candidates) {
    if (options.noise == NoiseLawKind::kNgram) {
      refuse(
          "`noise ngram`: only cane draws noises from the n-gram model; take unigram or uniform");
    }
    if (method.takes_uniform_noise_only && options.noise != NoiseLawKind::kUniform) {
      refuse(
          fmt::format("`head {}` draws its noises uniformly; take `noise uniform`", method.name));
    }
    return;
  }
  const CandidateSources& selection = options.selection;
  const bool has_own = selection.own != OwnCandidates::kNone;
  if (!selection.frequent && !selection.batch && !has_own) {
    refuse("`select`: cane needs candidates; take frequent, batch, subset, low-rank or ngram");
  }
  if (selection.frequent) require_between("frequent", options.frequent, 1, words);
  if (has_own) require_between("candidates", options.candidates, 1, words);
  if (selection.own == OwnCandidates::kSubset) {
    require_between("subsets", options.subsets, 2, words);
  }
  if (selection.own == OwnCandidates::kLowRank) require_between("rank", options.rank, 1, 1024);
  if (options.noise == NoiseLawKind::kNgram &&
      (selection.own != OwnCandidates::kNgram || options.shared_noises)) {
    refuse("`noise ngram`: needs `select ngram` (or a union with it) and noises per token");
  }
}

Method sampled_method(const std::string& head) {
  std::vector<std::string_view> names;
  for (const MethodRow& row : kMethods) {
    if (!row.has_objective || !row.has_noises()) continue;
    if (row.name == head) return row.kind;
    names.emplace_back(row.name);
  }
  const std::string_view last = names.back();
  names.pop_back();
  throw Error(fmt::format("`head`: there is no sampled head '{}'; there are {} and {}", head,
                          fmt::join(names, ", "), last));
}

}  // namespace cane::lm
