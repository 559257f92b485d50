#include "search/candidate_memory.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "support/random_proposal.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::FlatTable;
using testing::RandomRows;

constexpr std::uint32_t kClasses = 40;
constexpr std::uint32_t kExamples = 10;
constexpr std::uint32_t kWidth = 6;

// Finds every seventh class from the example's number on, `found` of them, and counts.
struct Searches {
  std::uint32_t searches = 0;
  std::uint32_t skipped = 0;
  std::function<std::uint32_t(std::uint32_t number)> found = [](std::uint32_t) { return kWidth; };
};

class FakeWorker final : public Selector::Worker {
 public:
  FakeWorker(const ClassScorer& scorer, Searches& searches)
      : Worker(scorer), searches_(&searches) {}

  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Selection& selection) override {
    EXPECT_EQ(width, kWidth);
    ++searches_->searches;
    ClassLists lists;
    for (const std::uint32_t number : draws.numbers) {
      for (std::uint32_t i = 0; i < searches_->found(number); ++i) {
        lists.classes.push_back((number + 7 * i) % kClasses);
      }
      lists.end_list();
    }
    std::vector<float> scores(lists.classes.size());
    selection.clear();
    selection.rows_scored = scorer().score(rows, lists, scratch(), scores.data());
    rerank(lists, scores, keep, selection);
  }
  void skip_batch() override { ++searches_->skipped; }

 private:
  Searches* searches_;
};

class CandidateMemoryTest : public ::testing::Test {
 protected:
  explicit CandidateMemoryTest(std::uint32_t period = 3)
      : memory_(kExamples, kWidth, period),
        worker_(memory_.make_worker(std::make_unique<FakeWorker>(scorer_, seen_))) {
    std::iota(numbers_.begin(), numbers_.end(), 0U);
  }

  const Selection& select(std::uint32_t epoch, std::uint32_t keep = kWidth) {
    return select(epoch, keep, numbers_);
  }
  const Selection& select(std::uint32_t epoch, std::uint32_t keep,
                          const std::vector<std::uint32_t>& numbers) {
    std::vector<RowView> rows;
    for (const std::uint32_t number : numbers) rows.push_back(examples_.rows[number]);
    worker_->select(rows, {CounterRandom(1, RandomPurpose::kNoise, epoch), numbers}, kWidth, keep,
                    selection_);
    return selection_;
  }
  bool searches(std::uint32_t epoch) {
    const std::uint32_t before = seen_.searches;
    select(epoch);
    return seen_.searches > before;
  }

  // The best of `found` classes by the weights as they are, from scratch.
  std::vector<ClassId> plain_best(std::uint32_t number, std::uint32_t found, std::uint32_t keep) {
    std::vector<ClassId> classes;
    for (std::uint32_t i = 0; i < found; ++i) classes.push_back((number + 7 * i) % kClasses);
    std::ranges::sort(classes, [&](ClassId a, ClassId b) {
      return table_.plain_score(examples_.rows[number], a) >
             table_.plain_score(examples_.rows[number], b);
    });
    classes.resize(std::min(found, keep));
    return classes;
  }
  void expect_best(const Selection& selection, std::uint32_t keep) {
    ASSERT_EQ(selection.offsets.size(), kExamples + 1);
    for (std::uint32_t e = 0; e < kExamples; ++e) {
      std::vector<ClassId> labels;
      for (const Candidate& candidate : selection.of(e)) {
        labels.push_back(candidate.class_id);
        EXPECT_NEAR(candidate.score, table_.plain_score(examples_.rows[e], candidate.class_id),
                    1e-4);
      }
      EXPECT_EQ(labels, plain_best(e, seen_.found(e), keep)) << "example " << e;
    }
  }
  void turn_weights() {
    for (float& weight : table_.weights) weight = -weight;
  }

  Searches seen_;
  FlatTable table_{kClasses, 1, 5};
  RandomRows examples_{5, kExamples, false, 2};
  FlatScorer scorer_ = table_.scorer();
  CandidateMemory memory_;
  std::unique_ptr<Selector::Worker> worker_;
  std::vector<std::uint32_t> numbers_ = std::vector<std::uint32_t>(kExamples);
  Selection selection_;
};

TEST_F(CandidateMemoryTest, SearchesInTheFirstTwoEpochsAndThenInEveryPeriodThOne) {
  std::vector<std::uint32_t> searched;
  for (std::uint32_t epoch = 0; epoch < 10; ++epoch) {
    if (searches(epoch)) searched.push_back(epoch);
  }
  EXPECT_EQ(searched, (std::vector<std::uint32_t>{0, 1, 3, 6, 9}));
}

TEST_F(CandidateMemoryTest, GivesWhatItRemembersTheScoresOfToday) {
  expect_best(select(1), kWidth);
  turn_weights();
  expect_best(select(2), kWidth);
  EXPECT_EQ(seen_.searches, 1U);
  EXPECT_EQ(selection_.rows_scored, kExamples * kWidth);
}

TEST_F(CandidateMemoryTest, RemembersMoreThanItHandsOver) {
  expect_best(select(0, 2), 2);
  // The best of the six are now those that were the worst.
  turn_weights();
  expect_best(select(2, 2), 2);
  EXPECT_EQ(seen_.searches, 1U);
}

TEST_F(CandidateMemoryTest, SearchesForABatchWithAnExampleItNeverSaw) {
  const std::vector<std::uint32_t> some = {8, 2, 5};
  select(0, kWidth, some);
  select(2, kWidth, {2, 8});
  EXPECT_EQ(seen_.searches, 1U);
  select(2, kWidth, {2, 3});
  EXPECT_EQ(seen_.searches, 2U);
  EXPECT_EQ(selection_.of(1)[0].class_id, plain_best(3, kWidth, 1)[0]);
  select(4, kWidth, {3, 5, 8, 2});
  EXPECT_EQ(seen_.searches, 2U) << "now it saw them all";
  EXPECT_EQ(selection_.of(0)[0].class_id, plain_best(3, kWidth, 1)[0]);
}

TEST_F(CandidateMemoryTest, RemembersTheLastSearch) {
  select(1);
  seen_.found = [](std::uint32_t) { return 3U; };
  expect_best(select(3), kWidth);
  expect_best(select(4), kWidth);
  EXPECT_EQ(selection_.candidates.size(), kExamples * 3);
  EXPECT_EQ(seen_.searches, 2U);
}

TEST_F(CandidateMemoryTest, RemembersThatThereWereFewerThanAskedFor) {
  seen_.found = [](std::uint32_t number) { return 1 + number % kWidth; };
  for (const std::uint32_t keep : {kWidth, 3U, 1U}) {
    expect_best(select(1, keep), keep);
    expect_best(select(2, keep), keep);
  }
  EXPECT_EQ(seen_.searches, 3U);
}

TEST_F(CandidateMemoryTest, SearchesAgainWhereItFoundNothing) {
  seen_.found = [](std::uint32_t number) { return number % 2; };
  expect_best(select(1), kWidth);
  expect_best(select(2), kWidth);
  EXPECT_EQ(seen_.searches, 2U);
}

TEST_F(CandidateMemoryTest, TellsTheWorkerThatSearchesWhichBatchesItDidNotSee) {
  for (std::uint32_t epoch = 0; epoch < 6; ++epoch) select(epoch);
  EXPECT_EQ(seen_.searches, 3U);
  EXPECT_EQ(seen_.skipped, 3U);
}

TEST_F(CandidateMemoryTest, IsSharedByTheWorkersOfAllThreads) {
  select(1);
  const auto other = memory_.make_worker(std::make_unique<FakeWorker>(scorer_, seen_));
  Selection selection;
  other->select(examples_.rows, {CounterRandom(1, RandomPurpose::kNoise, 2), numbers_}, kWidth,
                kWidth, selection);
  expect_best(selection, kWidth);
  EXPECT_EQ(seen_.searches, 1U);
}

class EveryPeriod : public CandidateMemoryTest, public ::testing::WithParamInterface<int> {
 protected:
  EveryPeriod() : CandidateMemoryTest(static_cast<std::uint32_t>(GetParam())) {}
};

TEST_P(EveryPeriod, CountsFromTheFirstEpoch) {
  for (std::uint32_t epoch = 0; epoch < 12; ++epoch) {
    EXPECT_EQ(searches(epoch), epoch < 2 || epoch % static_cast<std::uint32_t>(GetParam()) == 0)
        << "epoch " << epoch;
  }
}

INSTANTIATE_TEST_SUITE_P(CandidateMemory, EveryPeriod, ::testing::Values(2, 4, 5, 100));

class RememberedProposal : public ::testing::TestWithParam<testing::ProposalForm> {};

TEST_P(RememberedProposal, GivesItsLawAndLearnsWhereItSearchedOnly) {
  testing::ProposalOptions options;
  options.form = GetParam();
  testing::RandomProposal model(options);
  const auto direct = model.select(model.examples.rows, 12, 4);
  CandidateMemory memory(options.examples, 12, 5);
  auto searching = model.proposal->make_proposal_worker();
  ProposalWorker& proposal = *searching;
  const auto worker = memory.make_worker(std::move(searching));
  const UniformNoise uniform(options.classes);
  std::vector<std::uint32_t> numbers(options.examples);
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (const std::uint32_t epoch : {0U, 1U, 2U, 4U, 5U, 6U}) {
    Selection selection;
    worker->select(model.examples.rows, {CounterRandom(1, RandomPurpose::kNoise, epoch), numbers},
                   12, 4, selection);
    // The weights never change here, so neither does what is best.
    EXPECT_EQ(selection.offsets, direct.selection.offsets);
    for (std::size_t i = 0; i < selection.candidates.size(); ++i) {
      EXPECT_EQ(selection.candidates[i].class_id, direct.selection.candidates[i].class_id);
      EXPECT_EQ(selection.candidates[i].score, direct.selection.candidates[i].score);
    }
    const bool searched = epoch < 2 || epoch == 5;
    EXPECT_EQ(proposal.num_to_learn() > 0, searched) << "epoch " << epoch;
    EXPECT_EQ(proposal.log_q(0, 7, {}) == uniform.log_probability(7, {}), !searched);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryForm, RememberedProposal,
                         ::testing::Values(testing::ProposalForm::kNarrow,
                                           testing::ProposalForm::kTree),
                         [](const auto& form) { return testing::name_of(form.param); });

}  // namespace CANE_THIS_FILE
}  // namespace cane
