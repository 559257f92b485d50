// Shortlists of a selector that remembers: where it searches its proposal draws the noises, and
// where it remembers the law that needs no proposal does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/noise/uniform_noise.h"
#include "search/candidate_memory.h"
#include "support/random_proposal.h"
#include "train/steps/shortlist_batch.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::ProposalForm;

constexpr std::uint32_t kClasses = 60;
constexpr std::uint32_t kExamples = 12;
constexpr std::uint32_t kCandidates = 5;
constexpr std::uint32_t kNoises = 50;
constexpr std::uint32_t kSearched = 0;  // epochs
constexpr std::uint32_t kRemembered = 2;

class RememberedShortlist : public ::testing::TestWithParam<ProposalForm> {
 protected:
  RememberedShortlist()
      : model_(options()),
        memory_(kExamples, 2 * kCandidates, 5),
        uniform_(kClasses),
        labels_(kExamples, 0),
        batch_({.data = &view_,
                .encoder = {},
                .scorer = &model_.scorer,
                .exclude_label = false,
                .beam = 2 * kCandidates,
                .candidates = kCandidates,
                .noises = kNoises},
               sources()) {
    std::iota(examples_.begin(), examples_.end(), 0U);
    DatasetView::Dense dense;
    dense.matrix = reinterpret_cast<const std::byte*>(model_.examples.values.data());
    view_ = DatasetView(dense, model_.options.dimension, labels_, {});
  }
  static testing::ProposalOptions options() {
    testing::ProposalOptions options;
    options.form = GetParam();
    options.classes = kClasses;
    options.examples = kExamples;
    return options;
  }
  ShortlistSources sources() {
    auto searching = model_.proposal->make_proposal_worker();
    proposal_ = searching.get();
    return {memory_.make_worker(std::move(searching)), proposal_};
  }
  static CounterRandom random(std::uint32_t epoch) { return {9, RandomPurpose::kNoise, epoch}; }

  void fill(std::uint32_t epoch) { batch_.fill(examples_, random(epoch)); }
  void set_label(ClassId label) { std::ranges::fill(labels_, label); }
  // A candidate of every example, so that noises are drawn.
  void set_covered_labels() {
    fill(kSearched);
    for (std::size_t e = 0; e < kExamples; ++e) labels_[e] = candidates(e)[e % kCandidates];
  }
  std::vector<ClassId> candidates(std::size_t e) const {
    const auto found = batch_.classes(e).first(kCandidates);
    return {found.begin(), found.end()};
  }
  std::vector<ClassId> excluded(std::size_t e) const {
    std::vector<ClassId> classes = candidates(e);
    std::ranges::sort(classes);
    return classes;
  }
  void expect_noises(std::size_t e, const std::vector<ClassId>& noises,
                     const std::vector<float>& log_q) const {
    const Shortlist shortlist = batch_.shortlist(e);
    ASSERT_EQ(shortlist.noises, kNoises);
    EXPECT_TRUE(std::ranges::equal(batch_.classes(e).subspan(kCandidates), noises));
    EXPECT_TRUE(std::ranges::equal(std::span(shortlist.log_q, kNoises), log_q));
  }

  testing::RandomProposal model_;
  CandidateMemory memory_;
  ProposalWorker* proposal_ = nullptr;
  UniformNoise uniform_;
  std::vector<ClassId> labels_;
  DatasetView view_;
  std::vector<std::uint32_t> examples_ = std::vector<std::uint32_t>(kExamples);
  ShortlistBatch batch_;
};

TEST_P(RememberedShortlist, DrawsFromTheProposalThatSearched) {
  set_covered_labels();
  fill(kSearched);
  ASSERT_GT(proposal_->num_to_learn(), 0U);
  for (std::uint32_t e = 0; e < kExamples; ++e) {
    std::vector<ClassId> noises(kNoises);
    std::vector<float> log_q(kNoises);
    proposal_->draw(e, excluded(e), random(kSearched), e, noises, log_q);
    expect_noises(e, noises, log_q);
  }
}

TEST_P(RememberedShortlist, DrawsUniformlyWhereNothingSearched) {
  set_covered_labels();
  fill(kRemembered);
  EXPECT_EQ(proposal_->num_to_learn(), 0U);
  for (std::uint32_t e = 0; e < kExamples; ++e) {
    std::vector<ClassId> noises(kNoises);
    std::vector<float> log_q(kNoises);
    uniform_.sample(excluded(e), random(kRemembered), e, noises, log_q);
    expect_noises(e, noises, log_q);
    for (const float value : log_q) EXPECT_NEAR(value, -std::log(kClasses - kCandidates), 1e-6);
  }
}

TEST_P(RememberedShortlist, AnUncoveredLabelHasTheLogQOfTheLawInUse) {
  std::size_t uncovered = 0;
  for (ClassId label = 0; label < kClasses; label += 7) {
    set_label(label);
    for (const std::uint32_t epoch : {kSearched, kRemembered}) {
      fill(epoch);
      for (std::uint32_t e = 0; e < kExamples; ++e) {
        const Shortlist shortlist = batch_.shortlist(e);
        if (shortlist.label_at < kCandidates) continue;
        ++uncovered;
        ASSERT_EQ(shortlist.noises, 1U);
        const float expected = epoch == kSearched ? proposal_->log_q(e, label, excluded(e))
                                                  : uniform_.log_probability(label, excluded(e));
        EXPECT_EQ(shortlist.log_q[0], expected);
      }
    }
  }
  EXPECT_GT(uncovered, kExamples);
}

TEST_P(RememberedShortlist, CandidatesDoNotSeeTheLabel) {
  fill(kSearched);
  std::vector<std::vector<ClassId>> first;
  for (std::size_t e = 0; e < kExamples; ++e) first.push_back(candidates(e));
  for (ClassId label = 0; label < kClasses; label += 3) {
    set_label(label);
    for (const std::uint32_t epoch : {kRemembered, kSearched, kRemembered}) {
      fill(epoch);
      for (std::size_t e = 0; e < kExamples; ++e) EXPECT_EQ(candidates(e), first[e]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryForm, RememberedShortlist,
                         ::testing::Values(ProposalForm::kNarrow, ProposalForm::kTree),
                         [](const auto& form) { return testing::name_of(form.param); });

}  // namespace CANE_THIS_FILE
}  // namespace cane
