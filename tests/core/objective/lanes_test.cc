// Labels: threads
// Several lanes give what one does: here they are threads that meet at barriers, as on a GPU.
#include "core/objective/lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <limits>
#include <thread>
#include <vector>

#include "core/base/random.h"
#include "methods/with_objective.h"

namespace cane {
namespace {

struct Meeting {
  explicit Meeting(std::uint32_t lanes) : values(lanes), barrier(lanes) {}
  std::vector<float> values;
  std::barrier<> barrier;
};

struct ThreadLanes {
  std::uint32_t lane;
  std::uint32_t lanes;
  Meeting* meeting;

  std::uint32_t from(std::uint32_t begin) const {
    return begin + (lane + lanes - begin % lanes) % lanes;
  }
  std::uint32_t stride() const { return lanes; }
  bool owns(std::uint32_t place) const { return place % lanes == lane; }
  float sum(float value) const {
    return meet(value, [](float a, float b) { return a + b; });
  }
  float max(float value) const {
    return meet(value, [](float a, float b) { return std::max(a, b); });
  }
  std::uint32_t max(std::uint32_t value) const {
    return static_cast<std::uint32_t>(max(static_cast<float>(value)));
  }
  template <typename Combine>
  float meet(float value, const Combine& combine) const {
    meeting->values[lane] = value;
    meeting->barrier.arrive_and_wait();
    float all = meeting->values[0];
    for (std::uint32_t i = 1; i < lanes; ++i) all = combine(all, meeting->values[i]);
    meeting->barrier.arrive_and_wait();
    return all;
  }
};

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
    Meeting meeting(lanes);
    std::vector<float> losses(lanes);
    std::vector<std::thread> threads;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      threads.emplace_back([&, lane] {
        losses[lane] = objective(problem.shortlist, in_place.data(), in_place.data(),
                                 ThreadLanes{lane, lanes, &meeting});
      });
    }
    for (std::thread& thread : threads) thread.join();
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

}  // namespace
}  // namespace cane
