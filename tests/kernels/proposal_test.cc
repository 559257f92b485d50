// Labels: threads
// Noises of a proposal: the same for any number of lanes, with the probabilities that enumeration
// gives.
#include "kernels/plain/proposal.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "support/thread_lanes.h"

namespace cane::kernels {
namespace CANE_THIS_FILE {

constexpr std::int64_t kClasses = 23;
constexpr std::int64_t kWidth = 3;
constexpr std::int64_t kBlock = 5;
constexpr std::int64_t kBlocks = 5;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// One example, with candidates that share blocks; a place is unused.
struct Problem {
  std::vector<float> features = {0.3F, -1.2F, 0.7F};
  std::vector<float> rows;
  std::vector<float> bias;
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> places;
  std::vector<std::int32_t> candidates = {4, 17, -1, 9, 5, 22, 21, 20};
  ProposalView view;

  explicit Problem(bool is_reversed) : order(kClasses), places(kClasses) {
    const CounterRandom random(3, RandomPurpose::kSynthetic);
    for (std::uint64_t i = 0; i < kClasses; ++i) {
      bias.push_back(static_cast<float>(random.normal(i, 0)));
      for (std::uint32_t c = 0; c < kWidth; ++c) {
        rows.push_back(static_cast<float>(random.normal(i, c + 1)));
      }
      order[i] = static_cast<std::int32_t>(kClasses - 1 - i);
      places[i] = order[i];
    }
    view = {1, kWidth, kClasses, kBlock, features.data(), rows.data(), bias.data()};
    if (!is_reversed) return;
    view.order = order.data();
    view.places = places.data();
  }

  CandidateRows own() const {
    return {static_cast<std::int64_t>(candidates.size()), candidates.data()};
  }
};

std::vector<float> block_masses(const Problem& problem) {
  std::vector<float> high(kBlocks);
  std::vector<float> masses(kBlocks);
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    sum_block({problem.view, high.data(), masses.data()}, block, 0);
  }
  return masses;
}

std::vector<float> masses_outside(const Problem& problem, bool conditional,
                                  std::vector<float> masses, std::uint32_t lanes) {
  const OutsideArguments task{problem.view, problem.own(), conditional, masses.data()};
  for (std::int64_t place = 0; place < problem.own().count; ++place) {
    run_lanes(lanes, [&](const ThreadLanes& own) { leave_out(task, 0, place, own); });
  }
  return masses;
}

struct Draws {
  std::vector<std::int32_t> classes;
  std::vector<float> log_q;  // label, noises
};

Draws draw(const Problem& problem, const std::vector<float>& outside, std::int64_t label,
           std::int64_t noises, std::uint32_t lanes) {
  LogSum total;
  for (const float mass : outside) total.add(mass);
  const float log_total = total.value();
  std::vector<float> cumulative;
  float sum = 0.0F;
  for (const float mass : outside) cumulative.push_back(sum += std::exp(mass - log_total));
  Draws draws{std::vector<std::int32_t>(static_cast<std::size_t>(noises), -7),
              std::vector<float>(static_cast<std::size_t>(1 + noises), -7.0F)};
  const std::int64_t step = 11;
  ProposalNoiseArguments task;
  task.proposal = problem.view;
  task.candidates = problem.own();
  task.outside = outside.data();
  task.cumulative = cumulative.data();
  task.log_total = &log_total;
  task.target = &label;
  task.noises = noises;
  task.step = &step;
  task.classes = draws.classes.data();
  task.log_q = draws.log_q.data();
  for (std::int64_t position = 0; position <= noises; ++position) {
    run_lanes(lanes, [&](const ThreadLanes& own) { draw_outside(task, 0, position, own); });
  }
  return draws;
}

TEST(ProposalThreads, NoisesHaveTheProbabilitiesOfEnumeration) {
  for (const bool is_reversed : {false, true}) {
    const Problem problem(is_reversed);
    const std::vector<float> outside = masses_outside(problem, false, block_masses(problem), 1);
    std::map<std::int32_t, float> law;
    float total = 0.0F;
    for (std::int32_t id = 0; id < kClasses; ++id) {
      if (problem.own().holds(0, id)) continue;
      total += law[id] = std::exp(problem.view.score(0, id));
    }
    constexpr std::int64_t kDraws = 4000;
    const Draws draws = draw(problem, outside, 0, kDraws, 1);
    std::map<std::int32_t, float> shares;
    for (std::size_t i = 0; i < draws.classes.size(); ++i) {
      const std::int32_t id = draws.classes[i];
      ASSERT_TRUE(law.contains(id)) << id;
      EXPECT_NEAR(std::exp(draws.log_q[1 + i]), law[id] / total, 1e-5F);
      shares[id] += 1.0F / kDraws;
    }
    for (const auto& [id, mass] : law) {
      EXPECT_NEAR(shares[id], mass / total, 0.035F);
      EXPECT_NEAR(std::exp(draw(problem, outside, id, 0, 1).log_q[0]), mass / total, 1e-5F);
    }
  }
}

TEST(ProposalThreads, SeveralLanesDrawWhatOneDraws) {
  const Problem problem(true);
  for (const bool conditional : {false, true}) {
    const std::vector<float> masses = {-1.0F, -2.0F, -0.5F, -3.0F, -1.5F};
    const std::vector<float> outside = masses_outside(problem, conditional, masses, 1);
    const Draws expected = draw(problem, outside, 6, 12, 1);
    for (const std::uint32_t lanes : {2U, 3U, 8U}) {
      const std::vector<float> others = masses_outside(problem, conditional, masses, lanes);
      for (std::size_t i = 0; i < outside.size(); ++i) EXPECT_NEAR(others[i], outside[i], 1e-5F);
      const Draws draws = draw(problem, outside, 6, 12, lanes);
      EXPECT_EQ(draws.classes, expected.classes);
      for (std::size_t i = 0; i < draws.log_q.size(); ++i) {
        EXPECT_NEAR(draws.log_q[i], expected.log_q[i], 1e-5F);
      }
    }
  }
}

TEST(ProposalThreads, CandidatesAndPaddingHaveNoNoises) {
  const Problem problem(false);
  const std::vector<float> outside = masses_outside(problem, false, block_masses(problem), 1);
  EXPECT_EQ(draw(problem, outside, 17, 0, 2).log_q[0], kInfinity);
  const Draws of_padding = draw(problem, outside, -2, 2, 2);
  EXPECT_EQ(of_padding.classes, (std::vector<std::int32_t>{kNoClass, kNoClass}));
  EXPECT_EQ(of_padding.log_q, (std::vector<float>{kInfinity, kInfinity, kInfinity}));
  const Draws without_label = draw(problem, outside, -1, 2, 2);
  EXPECT_EQ(without_label.log_q[0], kInfinity);
  EXPECT_NE(without_label.classes[0], kNoClass);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::kernels
