// Labels: threads
// Several lanes give what one does: here they are threads that meet at barriers, as on a GPU.
#include "core/objective/lanes.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/base/random.h"
#include "methods/with_objective.h"
#include "support/thread_lanes.h"

namespace cane {
namespace CANE_THIS_FILE {

struct Problem {
  std::vector<float> scores;
  std::vector<float> log_q;
  Shortlist shortlist;
};

Problem make_problem(std::uint32_t candidates, std::uint32_t noises, std::uint32_t label_at,
                     std::uint64_t seed) {
  const CounterRandom random(seed, RandomPurpose::kSynthetic);
  Problem problem;
  for (std::uint32_t i = 0; i < candidates + noises; ++i) {
    problem.scores.push_back(static_cast<float>(2.0 * random.normal(i, 0)));
  }
  for (std::uint32_t j = 0; j < noises; ++j) {
    problem.log_q.push_back(static_cast<float>(-3.0 + random.normal(j, 1)));
  }
  problem.shortlist = {candidates, noises, label_at, problem.log_q.data(), -2.5F, 0};
  return problem;
}

void expect_same(Method kind, const Problem& problem, std::uint32_t lanes) {
  std::vector<float> expected(problem.scores.size());
  std::vector<float> in_place = problem.scores;
  with_objective(kind, 1000, [&](const auto& objective) {
    const float loss = objective(problem.shortlist, problem.scores.data(), expected.data());
    std::vector<float> losses(lanes);
    run_lanes(lanes, [&](const ThreadLanes& own) {
      losses[own.lane] = objective(problem.shortlist, in_place.data(), in_place.data(), own);
    });
    for (const float other : losses) EXPECT_NEAR(other, loss, 1e-4F * (1.0F + std::fabs(loss)));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(in_place[i], expected[i], 1e-5F * (1.0F + std::fabs(expected[i]))) << i;
    }
  });
}

TEST(ObjectiveLanesThreads, SeveralLanesWorkingInPlaceGiveWhatOneGives) {
  for (const std::uint32_t lanes : {1U, 3U, 4U}) {
    expect_same(Method::kCane, make_problem(7, 3, 5, 1), lanes);
    expect_same(Method::kCane, make_problem(2, 1, 2, 2), lanes);
    expect_same(Method::kCane, make_problem(5, 0, 4, 3), lanes);
    expect_same(Method::kSoftmax, make_problem(6, 0, 1, 4), lanes);
    for (const MethodRow& row : kMethods) {
      if (!row.has_noises() || row.has_candidates) continue;
      for (std::uint64_t seed = 5; seed < 9; ++seed) {
        expect_same(row.kind, make_problem(1, 6, 0, seed), lanes);
      }
    }
  }
}

TEST(AbsentNoises, CountForNothing) {
  for (const MethodRow& row : kMethods) {
    if (!row.has_objective || !row.has_noises()) continue;
    SCOPED_TRACE(row.name);
    const Method kind = row.kind;
    const std::uint32_t candidates = row.has_candidates ? 3 : 1;
    const Problem whole = make_problem(candidates, 2, 0, 3);
    Problem with_absent = whole;
    // Between the two noises and after them.
    const float nothing = -std::numeric_limits<float>::infinity();
    with_absent.scores.insert(with_absent.scores.begin() + candidates + 1, nothing);
    with_absent.scores.push_back(nothing);
    with_absent.log_q.insert(with_absent.log_q.begin() + 1, 0.0F);
    with_absent.log_q.push_back(0.0F);
    with_absent.shortlist.noises = 4;
    with_absent.shortlist.absent = 2;
    with_absent.shortlist.log_q = with_absent.log_q.data();
    std::vector<float> expected(whole.scores.size());
    std::vector<float> gradient(with_absent.scores.size());
    with_objective(kind, 1000, [&](const auto& objective) {
      Problem plain = whole;
      plain.shortlist.log_q = plain.log_q.data();
      const float loss = objective(plain.shortlist, plain.scores.data(), expected.data());
      EXPECT_FLOAT_EQ(objective(with_absent.shortlist, with_absent.scores.data(), gradient.data()),
                      loss);
    });
    EXPECT_EQ(gradient[candidates + 1], 0.0F);
    EXPECT_EQ(gradient.back(), 0.0F);
    gradient.erase(gradient.begin() + candidates + 1);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(gradient[i], expected[i]);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
