#include "search/remembering_selector.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "search/exact_selector.h"
#include "search/rerank.h"
#include "support/random_proposal.h"

namespace cane {
namespace {

using testing::FlatTable;
using testing::RandomRows;

constexpr std::uint32_t kClasses = 40;
constexpr std::uint32_t kExamples = 10;
constexpr std::uint32_t kWidth = 6;

// Finds every seventh class from the example's number on, `found` of them, and counts.
struct Searches {
  std::uint32_t searches = 0;
  std::uint32_t refreshes = 0;
  std::function<std::uint32_t(std::uint32_t number)> found = [](std::uint32_t) { return kWidth; };
};

class FakeSelector final : public Selector {
 public:
  FakeSelector(const ClassScorer& scorer, Searches& searches)
      : Selector(scorer), searches_(&searches) {}

  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Workspace& workspace, Selection& selection) const override {
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
    selection.rows_scored = scorer().score(rows, lists, workspace.scoring, scores.data());
    rerank(lists, scores, keep, selection);
  }
  bool needs_refresh() const override { return true; }
  void refresh(ThreadPool* /*pool*/) override { ++searches_->refreshes; }

 private:
  Searches* searches_;
};

class RememberingSelectorTest : public ::testing::Test {
 protected:
  explicit RememberingSelectorTest(std::uint32_t period = 3)
      : selector_(std::make_unique<FakeSelector>(scorer_, seen_), kExamples, kWidth, period),
        workspace_(selector_.make_workspace()) {
    std::iota(numbers_.begin(), numbers_.end(), 0U);
  }

  const Selection& select(std::uint32_t epoch, std::uint32_t keep = kWidth) {
    return select(epoch, keep, numbers_);
  }
  const Selection& select(std::uint32_t epoch, std::uint32_t keep,
                          const std::vector<std::uint32_t>& numbers) {
    std::vector<RowView> rows;
    for (const std::uint32_t number : numbers) rows.push_back(examples_.rows[number]);
    selector_.select(rows, {CounterRandom(1, RandomPurpose::kNoise, epoch), numbers}, kWidth, keep,
                     *workspace_, selection_);
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
        labels.push_back(candidate.label);
        EXPECT_NEAR(candidate.score, table_.plain_score(examples_.rows[e], candidate.label), 1e-4);
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
  RememberingSelector selector_;
  std::unique_ptr<Selector::Workspace> workspace_;
  std::vector<std::uint32_t> numbers_ = std::vector<std::uint32_t>(kExamples);
  Selection selection_;
};

TEST_F(RememberingSelectorTest, SearchesInTheFirstTwoEpochsAndThenInEveryPeriodThOne) {
  std::vector<std::uint32_t> searched;
  for (std::uint32_t epoch = 0; epoch < 10; ++epoch) {
    if (searches(epoch)) searched.push_back(epoch);
  }
  EXPECT_EQ(searched, (std::vector<std::uint32_t>{0, 1, 3, 6, 9}));
}

TEST_F(RememberingSelectorTest, GivesWhatItRemembersTheScoresOfToday) {
  expect_best(select(1), kWidth);
  turn_weights();
  expect_best(select(2), kWidth);
  EXPECT_EQ(seen_.searches, 1U);
  EXPECT_EQ(selection_.rows_scored, kExamples * kWidth);
}

TEST_F(RememberingSelectorTest, RemembersMoreThanItHandsOver) {
  expect_best(select(0, 2), 2);
  // The best of the six are now those that were the worst.
  turn_weights();
  expect_best(select(2, 2), 2);
  EXPECT_EQ(seen_.searches, 1U);
}

TEST_F(RememberingSelectorTest, SearchesForABatchWithAnExampleItNeverSaw) {
  const std::vector<std::uint32_t> some = {8, 2, 5};
  select(0, kWidth, some);
  select(2, kWidth, {2, 8});
  EXPECT_EQ(seen_.searches, 1U);
  select(2, kWidth, {2, 3});
  EXPECT_EQ(seen_.searches, 2U);
  EXPECT_EQ(selection_.of(1)[0].label, plain_best(3, kWidth, 1)[0]);
  select(4, kWidth, {3, 5, 8, 2});
  EXPECT_EQ(seen_.searches, 2U) << "now it saw them all";
  EXPECT_EQ(selection_.of(0)[0].label, plain_best(3, kWidth, 1)[0]);
}

TEST_F(RememberingSelectorTest, RemembersTheLastSearch) {
  select(1);
  seen_.found = [](std::uint32_t) { return 3U; };
  expect_best(select(3), kWidth);
  expect_best(select(4), kWidth);
  EXPECT_EQ(selection_.candidates.size(), kExamples * 3);
  EXPECT_EQ(seen_.searches, 2U);
}

TEST_F(RememberingSelectorTest, RemembersThatThereWereFewerThanAskedFor) {
  seen_.found = [](std::uint32_t number) { return 1 + number % kWidth; };
  for (const std::uint32_t keep : {kWidth, 3U, 1U}) {
    expect_best(select(1, keep), keep);
    expect_best(select(2, keep), keep);
  }
  EXPECT_EQ(seen_.searches, 3U);
}

TEST_F(RememberingSelectorTest, SearchesAgainWhereItFoundNothing) {
  seen_.found = [](std::uint32_t number) { return number % 2; };
  expect_best(select(1), kWidth);
  expect_best(select(2), kWidth);
  EXPECT_EQ(seen_.searches, 2U);
}

TEST_F(RememberingSelectorTest, RefreshesTheSelectorThatSearches) {
  EXPECT_TRUE(selector_.needs_refresh());
  selector_.refresh(nullptr);
  EXPECT_EQ(seen_.refreshes, 1U);
  const RememberingSelector exact(std::make_unique<ExactSelector>(scorer_), 1, 1, 2);
  EXPECT_FALSE(exact.needs_refresh());
}

class EveryPeriod : public RememberingSelectorTest, public ::testing::WithParamInterface<int> {
 protected:
  EveryPeriod() : RememberingSelectorTest(static_cast<std::uint32_t>(GetParam())) {}
};

TEST_P(EveryPeriod, CountsFromTheFirstEpoch) {
  for (std::uint32_t epoch = 0; epoch < 12; ++epoch) {
    EXPECT_EQ(searches(epoch), epoch < 2 || epoch % static_cast<std::uint32_t>(GetParam()) == 0)
        << "epoch " << epoch;
  }
}

INSTANTIATE_TEST_SUITE_P(RememberingSelector, EveryPeriod, ::testing::Values(2, 4, 5, 100));

class RememberedProposal : public ::testing::TestWithParam<testing::ProposalForm> {};

TEST_P(RememberedProposal, IsAskedAndTaughtWhereItSearchedOnly) {
  testing::ProposalOptions options;
  options.form = GetParam();
  testing::RandomProposal model(options);
  const auto direct = model.select(model.examples.rows, 12, 4);
  const Proposal* const proposal = model.proposal.get();
  const RememberingSelector selector(std::move(model.proposal), options.examples, 12, 5);
  const auto workspace = selector.make_workspace();
  std::vector<std::uint32_t> numbers(options.examples);
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (const std::uint32_t epoch : {0U, 1U, 2U, 4U, 5U, 6U}) {
    Selection selection;
    selector.select(model.examples.rows, {CounterRandom(1, RandomPurpose::kNoise, epoch), numbers},
                    12, 4, *workspace, selection);
    // The weights never change here, so neither does what is best.
    EXPECT_EQ(selection.offsets, direct.selection.offsets);
    for (std::size_t i = 0; i < selection.candidates.size(); ++i) {
      EXPECT_EQ(selection.candidates[i].label, direct.selection.candidates[i].label);
      EXPECT_EQ(selection.candidates[i].score, direct.selection.candidates[i].score);
    }
    const bool searched = epoch < 2 || epoch == 5;
    const Selector::Taught taught = selector.taught(*workspace);
    EXPECT_EQ(taught.proposal, searched ? proposal : nullptr) << "epoch " << epoch;
    EXPECT_EQ(taught.workspace != nullptr, searched);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryForm, RememberedProposal,
                         ::testing::Values(testing::ProposalForm::kNarrow,
                                           testing::ProposalForm::kTree),
                         [](const auto& form) { return testing::name_of(form.param); });

}  // namespace
}  // namespace cane
