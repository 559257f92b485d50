#include "train/steps/shortlist_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "core/noise/uniform_noise.h"
#include "core/noise/unigram_noise.h"
#include "search/exact_selector.h"
#include "support/random_proposal.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::ProposalForm;
using testing::ProposalOptions;
using testing::RandomProposal;

constexpr std::uint32_t kClasses = 60;
constexpr std::uint32_t kExamples = 12;
constexpr std::uint32_t kCandidates = 5;
constexpr std::uint32_t kNoises = 300;

// Parts over the examples of a random proposal, with labels of the test's choice.
struct Fixture {
  explicit Fixture(ProposalForm form = ProposalForm::kNarrow)
      : model(options(form)),
        uniform(kClasses),
        unigram(counts(), 0.75F),
        exact(model.scorer),
        all(model.scorer) {
    std::iota(examples.begin(), examples.end(), 0U);
  }

  static ProposalOptions options(ProposalForm form) {
    ProposalOptions options;
    options.form = form;
    options.classes = kClasses;
    options.examples = kExamples;
    return options;
  }
  static std::vector<double> counts() {
    std::vector<double> counts;
    for (std::uint32_t k = 0; k < kClasses; ++k) counts.push_back(1.0 + k % 7);
    return counts;
  }

  ShortlistParts parts(bool exclude_label = false) const {
    return {.data = &view,
            .encoder = {},
            .scorer = &model.scorer,
            .exclude_label = exclude_label,
            .beam = 2 * kCandidates,
            .candidates = kCandidates,
            .noises = kNoises};
  }
  ShortlistBatch batch(const Selector& selector, FixedNoise& noise) const {
    return {parts(), {selector.make_worker(), &noise}};
  }
  /// Noises come from the proposal.
  ShortlistBatch batch() const {
    auto worker = model.proposal->make_proposal_worker();
    NoiseSource* noise = worker.get();
    return {parts(), {std::move(worker), noise}};
  }

  void set_labels(std::vector<ClassId> values) {
    labels = std::move(values);
    DatasetView::Dense dense;
    dense.matrix = reinterpret_cast<const std::byte*>(model.examples.values.data());
    view = DatasetView(dense, model.options.dimension, labels, {});
  }
  void set_label(ClassId label) { set_labels(std::vector<ClassId>(kExamples, label)); }

  void expect_plain_scores(const ShortlistBatch& batch) const {
    for (std::size_t e = 0; e < batch.size(); ++e) {
      ASSERT_EQ(batch.classes(e).size(), batch.shortlist(e).size());
      ASSERT_EQ(batch.scores(e).size(), batch.shortlist(e).size());
      for (std::size_t i = 0; i < batch.classes(e).size(); ++i) {
        EXPECT_NEAR(batch.scores(e)[i],
                    model.full.plain_score(model.examples.rows[e], batch.classes(e)[i]), 1e-4);
      }
    }
  }

  RandomProposal model;
  UniformNoise uniform;
  UnigramNoise unigram;
  ExactSelector exact;
  AllSelector all;
  std::vector<ClassId> labels;
  DatasetView view;
  std::vector<std::uint32_t> examples = std::vector<std::uint32_t>(kExamples);
  CounterRandom random{9, RandomPurpose::kNoise, 2};
};

std::vector<ClassId> candidates_of(const ShortlistBatch& batch, std::size_t e) {
  const auto candidates = batch.classes(e).first(batch.shortlist(e).candidates);
  return {candidates.begin(), candidates.end()};
}

// Consistency rests on it: the same examples with other labels have the same candidates, and every
// class outside them the same log q, whether it was drawn or is the label.
void expect_blind_to_labels(Fixture& fixture, ShortlistBatch batch) {
  fixture.set_label(0);
  batch.fill(fixture.examples, fixture.random);
  std::vector<std::vector<ClassId>> candidates;
  std::vector<ClassId> covered;
  for (std::size_t e = 0; e < kExamples; ++e) {
    candidates.push_back(candidates_of(batch, e));
    ASSERT_EQ(candidates.back().size(), kCandidates);
    covered.push_back(candidates.back()[e % kCandidates]);
  }
  // Labels that are candidates, so that noises are drawn.
  fixture.set_labels(covered);
  batch.fill(fixture.examples, fixture.random);
  std::vector<std::map<ClassId, float>> drawn(kExamples);
  std::vector<std::vector<ClassId>> noises(kExamples);
  for (std::size_t e = 0; e < kExamples; ++e) {
    const Shortlist shortlist = batch.shortlist(e);
    EXPECT_EQ(candidates_of(batch, e), candidates[e]);
    EXPECT_EQ(shortlist.label_at, e % kCandidates);
    ASSERT_EQ(shortlist.noises, kNoises);
    for (std::uint32_t i = 0; i < kNoises; ++i) {
      const ClassId label = batch.classes(e)[kCandidates + i];
      noises[e].push_back(label);
      drawn[e][label] = shortlist.log_q[i];
    }
    EXPECT_GT(drawn[e].size(), 10U);
  }
  for (ClassId label = 0; label < kClasses; ++label) {
    fixture.set_label(label);
    batch.fill(fixture.examples, fixture.random);
    for (std::size_t e = 0; e < kExamples; ++e) {
      const Shortlist shortlist = batch.shortlist(e);
      ASSERT_EQ(candidates_of(batch, e), candidates[e]);
      const auto further = batch.classes(e).subspan(kCandidates);
      if (shortlist.label_at < kCandidates) {
        EXPECT_EQ(batch.classes(e)[shortlist.label_at], label);
        EXPECT_TRUE(std::ranges::equal(further, noises[e]));
      } else {
        ASSERT_EQ(shortlist.noises, 1U);
        EXPECT_EQ(shortlist.label_at, kCandidates);
        EXPECT_EQ(further[0], label);
        if (drawn[e].contains(label)) {
          EXPECT_NEAR(shortlist.log_q[0], drawn[e][label], 1e-6);
        }
      }
    }
  }
}

TEST(ShortlistBatch, CandidatesAndNoiseLawDoNotSeeTheLabel) {
  for (const ProposalForm form : {ProposalForm::kNarrow, ProposalForm::kTree}) {
    SCOPED_TRACE(name_of(form));
    Fixture fixture(form);
    expect_blind_to_labels(fixture, fixture.batch());
    expect_blind_to_labels(fixture, fixture.batch(*fixture.model.proposal, fixture.uniform));
  }
  Fixture fixture;
  expect_blind_to_labels(fixture, fixture.batch(fixture.exact, fixture.unigram));
}

TEST(ShortlistBatch, TheLabelTakesThePlaceOfTheNoisesWhereItIsNoCandidate) {
  Fixture fixture;
  fixture.set_label(17);
  ShortlistBatch batch = fixture.batch(fixture.exact, fixture.unigram);
  batch.fill(fixture.examples, fixture.random);
  std::size_t uncovered = 0;
  for (std::size_t e = 0; e < kExamples; ++e) {
    const Shortlist shortlist = batch.shortlist(e);
    auto excluded = candidates_of(batch, e);
    std::sort(excluded.begin(), excluded.end());
    EXPECT_EQ(batch.classes(e)[shortlist.label_at], 17U);
    if (std::ranges::binary_search(excluded, 17U)) {
      EXPECT_EQ(shortlist.noises, kNoises);
    } else {
      ++uncovered;
      EXPECT_EQ(shortlist.noises, 1U);
      EXPECT_EQ(shortlist.label_at, kCandidates);
    }
    for (std::uint32_t i = 0; i < shortlist.noises; ++i) {
      const ClassId noise = batch.classes(e)[kCandidates + i];
      EXPECT_FALSE(std::ranges::binary_search(excluded, noise));
      EXPECT_EQ(shortlist.log_q[i], fixture.unigram.log_probability(noise, excluded));
    }
  }
  EXPECT_GT(uncovered, 0U);
  fixture.expect_plain_scores(batch);
}

TEST(ShortlistBatch, PooledNoisesAreDrawnBesideALabelThatIsNoCandidate) {
  Fixture fixture;
  fixture.set_label(17);
  ShortlistParts parts = fixture.parts();
  parts.pools_noises = true;
  ShortlistBatch batch(parts, {fixture.exact.make_worker(), &fixture.unigram});
  batch.fill(fixture.examples, fixture.random);
  std::size_t uncovered = 0;
  for (std::size_t e = 0; e < kExamples; ++e) {
    const Shortlist shortlist = batch.shortlist(e);
    auto excluded = candidates_of(batch, e);
    std::sort(excluded.begin(), excluded.end());
    ASSERT_EQ(shortlist.noises, kNoises);
    EXPECT_EQ(batch.classes(e)[shortlist.label_at], 17U);
    uncovered += shortlist.label_at >= kCandidates ? 1 : 0;
    EXPECT_EQ(shortlist.label_at >= kCandidates, !std::ranges::binary_search(excluded, 17U));
    for (std::uint32_t i = 0; i < kNoises; ++i) {
      const ClassId noise = batch.classes(e)[kCandidates + i];
      EXPECT_FALSE(std::ranges::binary_search(excluded, noise));
      EXPECT_EQ(shortlist.log_q[i], fixture.unigram.log_probability(noise, excluded));
    }
  }
  EXPECT_GT(uncovered, 0U);
  fixture.expect_plain_scores(batch);
}

TEST(ShortlistBatch, HasNoNoisesWhereEveryClassIsACandidate) {
  Fixture fixture;
  fixture.set_label(17);
  ShortlistBatch batch = fixture.batch(fixture.all, fixture.uniform);
  batch.fill(fixture.examples, fixture.random);
  for (std::size_t e = 0; e < kExamples; ++e) {
    EXPECT_EQ(batch.shortlist(e).candidates, kClasses);
    EXPECT_EQ(batch.shortlist(e).noises, 0U);
    EXPECT_EQ(batch.shortlist(e).label_at, 17U);
  }
  EXPECT_EQ(batch.rows_scored(), kExamples * kClasses);
  fixture.expect_plain_scores(batch);
}

TEST(ShortlistBatch, TheLabelIsTheOnlyCandidateWithoutASelector) {
  Fixture fixture;
  std::vector<ClassId> labels(kExamples);
  for (ClassId e = 0; e < kExamples; ++e) labels[e] = 5 * e;
  fixture.set_labels(labels);
  for (const bool exclude_label : {false, true}) {
    ShortlistBatch batch(fixture.parts(exclude_label), {nullptr, &fixture.unigram});
    batch.fill(fixture.examples, fixture.random);
    ASSERT_EQ(batch.size(), kExamples);
    std::size_t noises_that_are_the_label = 0;
    for (std::size_t e = 0; e < kExamples; ++e) {
      const Shortlist shortlist = batch.shortlist(e);
      ASSERT_EQ(shortlist.candidates, 1U);
      ASSERT_EQ(shortlist.noises, kNoises);
      EXPECT_EQ(shortlist.label_at, 0U);
      EXPECT_EQ(batch.classes(e)[0], labels[e]);
      const auto excluded = exclude_label ? std::vector{labels[e]} : std::vector<ClassId>{};
      if (!exclude_label) {
        EXPECT_EQ(shortlist.label_log_q, fixture.unigram.log_probability(labels[e], {}));
      }
      for (std::uint32_t i = 0; i < kNoises; ++i) {
        const ClassId noise = batch.classes(e)[1 + i];
        noises_that_are_the_label += noise == labels[e] ? 1 : 0;
        EXPECT_EQ(shortlist.log_q[i], fixture.unigram.log_probability(noise, excluded));
      }
    }
    EXPECT_EQ(noises_that_are_the_label > 0, !exclude_label);
    EXPECT_EQ(batch.rows_scored(), kExamples * (1 + kNoises));
    fixture.expect_plain_scores(batch);
  }
}

TEST(ShortlistBatch, WhatItFindsForAnExampleDoesNotDependOnTheBatch) {
  for (const ProposalForm form : {ProposalForm::kNarrow, ProposalForm::kTree}) {
    Fixture fixture(form);
    std::vector<ClassId> labels(kExamples);
    for (ClassId e = 0; e < kExamples; ++e) labels[e] = 4 * e + 1;
    fixture.set_labels(labels);
    ShortlistBatch together = fixture.batch();
    ShortlistBatch alone = fixture.batch();
    together.fill(fixture.examples, fixture.random);
    for (std::uint32_t e = kExamples; e-- > 0;) {
      alone.fill(std::span(&e, 1), fixture.random);
      const Shortlist expected = together.shortlist(e);
      const Shortlist shortlist = alone.shortlist(0);
      EXPECT_TRUE(std::ranges::equal(alone.classes(0), together.classes(e)));
      EXPECT_TRUE(std::ranges::equal(alone.scores(0), together.scores(e)));
      EXPECT_EQ(shortlist.label_at, expected.label_at);
      EXPECT_TRUE(std::ranges::equal(std::span(shortlist.log_q, shortlist.noises),
                                     std::span(expected.log_q, expected.noises)));
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
