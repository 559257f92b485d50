// Shortlists: what is drawn, and the probabilities it is drawn with.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "cane/error.h"
#include "lm/sampled/plain_loss.h"
#include "lm/sampled/sampled_loss.h"
#include "lm/sampled/shortlist_maker.h"

namespace cane::lm {
namespace CANE_THIS_FILE {

constexpr std::int64_t kWords = 19;

std::vector<std::uint64_t> counts() {
  std::vector<std::uint64_t> values;
  for (std::uint64_t word = 0; word < kWords; ++word) values.push_back((word * 29) % 41);
  return values;
}

torch::Tensor step_of(std::int64_t step) {
  return torch::full({}, step, torch::kInt64);
}

BigramCounts some_bigrams() {
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t i = 0; i < 3000; ++i) tokens.push_back((i * i + i / 5) % kWords);
  return count_bigrams(tokens, kWords);
}

SampledOptions small_options(const std::string& selection) {
  SampledOptions options;
  options.selection = parse_selection(selection);
  options.frequent = 5;
  options.candidates = 4;
  options.noises = 6;
  options.subsets = 3;
  return options;
}

torch::Tensor own_for(const SampledOptions& options, std::int64_t tokens) {
  if (options.selection.own == OwnCandidates::kSubset) {
    return torch::full({tokens}, options.subsets - 1, torch::kInt64);
  }
  if (options.selection.own == OwnCandidates::kLowRank) {
    return torch::arange(options.candidates, torch::kInt64).repeat({tokens, 1});
  }
  return {};
}

TEST(SampledShortlists, ProbabilitiesOutsideTheCandidatesSumToOne) {
  const BigramCounts bigrams = some_bigrams();
  for (const char* selection : {"frequent", "subset", "low-rank", "ngram", "batch",
                                "frequent+batch", "frequent+ngram", "ngram+batch"}) {
    for (const bool from_ngram : {false, true}) {
      SampledOptions options = small_options(selection);
      if (from_ngram && options.selection.own != OwnCandidates::kNgram) continue;
      if (from_ngram) {
        options.noise = NoiseLawKind::kNgram;
        options.shared_noises = false;
      }
      ShortlistMaker maker(options, counts(), &bigrams, 1, torch::kCPU);
      // The first of six tokens takes every label in turn; the others stay.
      double total = 0.0;
      std::int64_t inside = 0;
      for (std::int64_t label = 0; label < kWords; ++label) {
        auto labels = torch::tensor({0, 7, 2, 7, 18, 3}, torch::kInt64);
        labels[0] = label;
        const FlatBatch batch{torch::full({6}, 4, torch::kInt64), labels, 2};
        const Shortlists lists = maker.make(batch, own_for(options, 6), step_of(3));
        const bool outside = is_outside(lists, 0);
        inside += outside ? 0 : 1;
        if (outside) total += std::exp(lists.listed.label_log_q[0].item<double>());
        EXPECT_EQ(lists.own[0][lists.listed.label_column].item<std::int64_t>(),
                  outside ? label : kNoWord);
      }
      EXPECT_GT(inside, 0) << selection;
      EXPECT_LT(inside, kWords) << selection;
      EXPECT_NEAR(total, 1.0, 1e-5) << selection;
    }
  }
}

TEST(SampledShortlists, CandidatesAreDistinctAndNoisesAreNone) {
  const BigramCounts bigrams = some_bigrams();
  for (const char* selection : {"frequent", "subset", "low-rank", "ngram", "batch",
                                "frequent+batch", "frequent+low-rank+batch", "ngram+batch"}) {
    for (const bool shared : {true, false}) {
      SampledOptions options = small_options(selection);
      options.shared_noises = shared;
      ShortlistMaker maker(options, counts(), &bigrams, 1, torch::kCPU);
      const FlatBatch batch{torch::randint(0, kWords, {9}, torch::kInt64),
                            torch::randint(0, kWords, {9}, torch::kInt64), 3};
      const Shortlists lists = maker.make(batch, own_for(options, 9), step_of(8));
      for (std::int64_t token = 0; token < 9; ++token) {
        const PlainToken plain = plain_token(lists, token);
        const std::set<std::int64_t> distinct(plain.candidates.begin(), plain.candidates.end());
        EXPECT_EQ(distinct.size(), plain.candidates.size()) << selection;
        for (const std::int64_t noise : plain.noises) EXPECT_EQ(distinct.count(noise), 0U);
        const auto label = batch.labels[token].item<std::int64_t>();
        const bool is_inside = distinct.count(label) > 0;
        EXPECT_NE(is_inside, is_outside(lists, token)) << selection;
        const auto column = lists.listed.label_at[token].item<std::int64_t>();
        const std::int64_t own = lists.own.size(1);
        const torch::Tensor word =
            column < own ? lists.own[token][column] : lists.shared[column - own];
        EXPECT_EQ(word.item<std::int64_t>(), label) << selection;
      }
    }
  }
}

TEST(SampledShortlists, AWordOfTheBatchIsHiddenFromItsOwnStreamUntilItIsSaid) {
  SampledOptions options = small_options("batch");
  ShortlistMaker maker(options, counts(), nullptr, 1, torch::kCPU);
  // Two streams, three steps. 10 in both streams; 11 only in the first, at step 1; 12 only in the
  // second, at steps 0 and 2.
  const FlatBatch batch{torch::zeros({6}, torch::kInt64),
                        torch::tensor({10, 12, 11, 10, 13, 12}, torch::kInt64), 2};
  const Shortlists lists = maker.make(batch, {}, step_of(0));
  const auto sees = [&](std::int64_t token, std::int64_t word) {
    const auto candidates = plain_token(lists, token).candidates;
    return std::find(candidates.begin(), candidates.end(), word) != candidates.end();
  };
  for (std::int64_t token = 0; token < 6; ++token) EXPECT_TRUE(sees(token, 10));
  EXPECT_FALSE(sees(0, 11));
  EXPECT_FALSE(sees(2, 11));
  EXPECT_TRUE(sees(4, 11));
  EXPECT_TRUE(sees(1, 11));
  EXPECT_FALSE(sees(1, 12));
  EXPECT_TRUE(sees(3, 12));
  EXPECT_TRUE(sees(0, 12));
  // Nothing of a batch is left for the next.
  const FlatBatch other{torch::zeros({2}, torch::kInt64), torch::tensor({1, 2}, torch::kInt64), 2};
  EXPECT_EQ(plain_token(maker.make(other, {}, step_of(1)), 0).candidates,
            std::vector<std::int64_t>{2});
}

TEST(SampledShortlists, NoisesComeAsOftenAsTheirLawSays) {
  for (const bool shared : {true, false}) {
    SampledOptions options = small_options("frequent");
    options.shared_noises = shared;
    options.noises = 50;
    ShortlistMaker maker(options, counts(), nullptr, 1, torch::kCPU);
    const FlatBatch batch{torch::zeros({4}, torch::kInt64), torch::zeros({4}, torch::kInt64), 1};
    std::map<std::int64_t, double> seen;
    double draws = 0.0;
    for (std::int64_t step = 0; step < 200; ++step) {
      const Shortlists lists = maker.make(batch, {}, step_of(step));
      for (std::int64_t token = 0; token < (shared ? 1 : 4); ++token) {
        for (const std::int64_t noise : plain_token(lists, token).noises) {
          ++seen[noise];
          ++draws;
        }
      }
    }
    double chi_square = 0.0;
    for (std::int64_t word = 0; word < kWords; ++word) {
      const double expected = draws * maker.law_masses()[word].item<double>();
      if (expected == 0.0) {
        EXPECT_EQ(seen.count(word), 0U);
      } else {
        chi_square += (seen[word] - expected) * (seen[word] - expected) / expected;
      }
    }
    EXPECT_LT(chi_square, 36.0);  // 13 degrees of freedom, one in a thousand
  }
}

TEST(SampledShortlists, SubsetCandidatesAreUniformOverTheChosenSubset) {
  SampledOptions options = small_options("subset");
  ShortlistMaker maker(options, counts(), nullptr, 1, torch::kCPU);
  const auto members = (maker.subset_of_class() == 2).sum().item<std::int64_t>();
  ASSERT_GT(members, options.candidates);
  std::map<std::int64_t, double> seen;
  const FlatBatch batch{torch::zeros({5}, torch::kInt64), torch::zeros({5}, torch::kInt64), 1};
  for (std::int64_t step = 0; step < 400; ++step) {
    const Shortlists lists = maker.make(batch, own_for(options, 5), step_of(step));
    for (std::int64_t token = 0; token < 5; ++token) {
      const PlainToken plain = plain_token(lists, token);
      ASSERT_EQ(static_cast<std::int64_t>(plain.candidates.size()), options.candidates);
      for (const std::int64_t word : plain.candidates) {
        EXPECT_EQ(maker.subset_of_class()[word].item<int>(), 2);
        ++seen[word];
      }
    }
  }
  const double expected =
      2000.0 * static_cast<double>(options.candidates) / static_cast<double>(members);
  for (const auto& [word, count] : seen) EXPECT_NEAR(count, expected, 5.0 * std::sqrt(expected));
}

TEST(SampledShortlists, DrawsDependOnSeedAndStepAlone) {
  SampledOptions options = small_options("frequent");
  ShortlistMaker first(options, counts(), nullptr, 1, torch::kCPU);
  ShortlistMaker same(options, counts(), nullptr, 1, torch::kCPU);
  ShortlistMaker other(options, counts(), nullptr, 2, torch::kCPU);
  const FlatBatch batch{torch::zeros({3}, torch::kInt64), torch::ones({3}, torch::kInt64), 1};
  const auto words = [&](ShortlistMaker& maker, std::int64_t step) {
    return maker.make(batch, {}, step_of(step)).shared;
  };
  EXPECT_TRUE(torch::equal(words(first, 5), words(same, 5)));
  EXPECT_FALSE(torch::equal(words(first, 5), words(first, 6)));
  EXPECT_FALSE(torch::equal(words(first, 5), words(other, 5)));
}

TEST(BigramCounting, CountsPairsAndLeavesOutRareOnes) {
  const std::vector<std::uint32_t> tokens = {1, 2, 1, 2, 1, 0, 1, 2};
  const BigramCounts bigrams = count_bigrams(tokens, 3);
  EXPECT_EQ(bigrams.offsets, (std::vector<std::int64_t>{0, 0, 1, 2}));
  EXPECT_EQ(bigrams.words, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(bigrams.counts, (std::vector<std::uint32_t>{3, 2}));
  EXPECT_EQ(bigrams.kinds, (std::vector<std::uint32_t>{1, 2, 1}));
  EXPECT_EQ(count_bigrams({}, 2).offsets, (std::vector<std::int64_t>{0, 0, 0}));
}

TEST(SampledOptions, RefusesWhatContradicts) {
  EXPECT_THROW(parse_selection("frequent+low-rank+ngram"), Error);
  EXPECT_THROW(parse_selection("frequent+"), Error);
  EXPECT_THROW(parse_selection("beam"), Error);
  EXPECT_THROW(sampled_method("softmax"), Error);
  SampledOptions options;
  EXPECT_THROW(check(options, 100), Error);  // no candidates
  options.selection = parse_selection("frequent");
  options.frequent = 101;
  EXPECT_THROW(check(options, 100), Error);
  options.frequent = 100;
  EXPECT_NO_THROW(check(options, 100));
  options.noise = NoiseLawKind::kNgram;
  EXPECT_THROW(check(options, 100), Error);
  options = {};
  options.method = Method::kCss;
  EXPECT_THROW(check(options, 100), Error);
  options.noise = NoiseLawKind::kUniform;
  EXPECT_NO_THROW(check(options, 100));
  options.noises = 0;
  EXPECT_THROW(check(options, 100), Error);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
