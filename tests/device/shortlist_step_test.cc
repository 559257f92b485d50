// One step of the methods that score a few classes, recomputed in plain doubles from what was
// drawn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/noise/unigram_noise.h"
#include "device/host/host_backend.h"
#include "device/learner_support.h"
#include "device/parts/learner_on.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using device::HostBackend;
using device::LearnerOn;
using device::Table;
using testing::PlainData;
using testing::SmallData;
using testing::SmallDataOptions;
using testing::SmallSpec;
using testing::Training;

double log_sum_exp(const std::vector<double>& values) {
  const double high = *std::max_element(values.begin(), values.end());
  double sum = 0.0;
  for (const double value : values) sum += std::exp(value - high);
  return high + std::log(sum);
}

/// The loss of a shortlist: candidates first, then noises (docs/mathematics.md).
double plain_loss(Method method, double classes, const std::vector<double>& scores,
                  std::size_t candidates, std::size_t label, const std::vector<double>& log_q,
                  double label_log_q) {
  const std::size_t noises = scores.size() - candidates;
  const auto count = static_cast<double>(noises);
  const auto softplus = [](double x) { return std::log1p(std::exp(x)); };
  double loss = 0.0;
  switch (method) {
    case Method::kCane:
      for (std::size_t j = 0; j < noises; ++j) {
        std::vector<double> terms(scores.begin(), scores.begin() + static_cast<long>(candidates));
        terms.push_back(scores[candidates + j] - log_q[j]);
        loss += (log_sum_exp(terms) - scores[label]) / count;
      }
      return loss;
    case Method::kNce:
    case Method::kNeg: {
      const double shift = method == Method::kNce ? 1.0 : 0.0;
      loss = softplus(-(scores[0] - shift * (label_log_q + std::log(count))));
      for (std::size_t j = 0; j < noises; ++j) {
        loss += softplus(scores[1 + j] - shift * (log_q[j] + std::log(count)));
      }
      return loss;
    }
    case Method::kBlackout: {
      std::vector<double> logits = {scores[0] - label_log_q};
      for (std::size_t j = 0; j < noises; ++j) logits.push_back(scores[1 + j] - log_q[j]);
      const double all = log_sum_exp(logits);
      loss = all - logits[0];
      for (std::size_t j = 0; j < noises; ++j) loss -= std::log1p(-std::exp(logits[1 + j] - all));
      return loss;
    }
    case Method::kCss: {
      std::vector<double> logits = {scores[0]};
      for (std::size_t j = 0; j < noises; ++j) {
        logits.push_back(scores[1 + j] + std::log((classes - 1.0) / count));
      }
      return log_sum_exp(logits) - scores[0];
    }
    default:  // ove
      for (std::size_t j = 0; j < noises; ++j) {
        loss += (classes - 1.0) / count * softplus(scores[1 + j] - scores[0]);
      }
      return loss;
  }
}

struct Case {
  const char* name;
  Method method;
  NoiseKind noise = NoiseKind::kAuto;
  SelectorKind select = SelectorKind::kAuto;
  OptimizerKind optimizer = OptimizerKind::kSgd;
  bool sparse = false;
};

constexpr std::uint32_t kClasses = 80;
constexpr std::uint32_t kBatch = 12;

struct OneStep {
  explicit OneStep(const Case& row, std::uint32_t noises = 5, float rate = 0.2F)
      : data(options_of(row)), run(data, config_of(row, noises), kClasses), plain(run.view) {
    // Not the optimum, and no ties.
    const CounterRandom random(11, RandomPurpose::kSynthetic);
    for (std::size_t t = 0; t < run.state.weights.size(); ++t) {
      for (std::size_t i = 0; i < run.state.weights[t].size(); ++i) {
        run.state.weights[t].data()[i] =
            0.3F * static_cast<float>(random.normal(i, static_cast<std::uint32_t>(t)));
      }
    }
    small = std::make_unique<SmallSpec>(run);
    small->spec.kept_examples = run.view.size();
    small->spec.kept_values = plain.values.size();
    learner = std::make_unique<LearnerOn<HostBackend>>(small->spec, device::kMaxScores);
    learner->keep_data(plain.rows());
    small->upload(run.state, *learner);
    for (std::uint32_t e = 0; e < kBatch; ++e) examples.push_back(3 * e);
    learner->step(examples, {rate, 0});
    before = small->numbers(Table::kClasses, run.state);
  }

  static SmallDataOptions options_of(const Case& row) {
    SmallDataOptions options;
    options.classes = kClasses;
    options.examples = 60;
    options.sparse = row.sparse;
    return options;
  }
  static TrainConfig config_of(const Case& row, std::uint32_t noises) {
    TrainConfig config;
    config.method = row.method;
    config.noise = row.noise;
    config.noises = noises;
    config.optimizer = row.optimizer;
    config.batch = kBatch;
    config.lr = 0.2F;
    if (row.method == Method::kCane) {
      config.select = row.select;
      config.scorer = ScorerKind::kFlat;
      config.candidates = 6;
      config.rank = 4;
      if (row.select == SelectorKind::kTree) config.arity = 5;
    }
    return config;
  }

  const device::Shortlists& lists() const { return learner->shortlists().lists(); }
  std::size_t columns() const { return std::size_t{small->spec.dimension} + 1; }
  /// x times a row, the bias last.
  double score(std::uint32_t e, const float* weights) const {
    double sum = static_cast<double>(weights[columns() - 1]);
    for (std::uint64_t p = plain.offsets[e]; p < plain.offsets[e + 1]; ++p) {
      sum += static_cast<double>(plain.values[p]) * static_cast<double>(weights[plain.indices[p]]);
    }
    return sum;
  }
  /// The classes of a shortlist, and how many of them are candidates.
  std::vector<std::uint32_t> classes(std::uint32_t place) const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < lists().size(); ++i) {
      const std::uint32_t id = lists().of(place)[i];
      if (id != device::kNoRow) all.push_back(id);
    }
    return all;
  }

  SmallData data;
  Training run;
  PlainData plain;
  std::unique_ptr<SmallSpec> small;
  std::unique_ptr<LearnerOn<HostBackend>> learner;
  std::vector<std::uint32_t> examples;
  std::vector<float> before;
};

class DeviceShortlist : public ::testing::TestWithParam<Case> {};

TEST_P(DeviceShortlist, StepsAgainstTheGradientOfThePlainLoss) {
  const Case& row = GetParam();
  OneStep step(row);
  const std::size_t columns = step.columns();
  std::vector<double> gradient(step.before.size());
  std::vector<double> squares(step.before.size());
  double loss = 0.0;
  for (std::uint32_t place = 0; place < kBatch; ++place) {
    const std::uint32_t e = step.examples[place];
    const auto classes = step.classes(place);
    const std::uint32_t label_at = step.lists().label_at[place];
    ASSERT_LT(label_at, classes.size());
    ASSERT_EQ(classes[label_at], step.plain.labels[e]);
    const std::uint32_t candidates = step.lists().candidates;
    std::vector<double> scores;
    for (const std::uint32_t id : classes)
      scores.push_back(step.score(e, &step.before[id * columns]));
    std::vector<double> log_q;
    for (std::size_t j = candidates; j < classes.size(); ++j) {
      log_q.push_back(static_cast<double>(step.lists().log_q_of(place)[j - candidates]));
    }
    const auto loss_of = [&](const std::vector<double>& at) {
      return plain_loss(row.method, kClasses, at, candidates, label_at, log_q,
                        static_cast<double>(step.lists().label_log_q[place]));
    };
    loss += loss_of(scores);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      constexpr double kStep = 1e-5;
      std::vector<double> up = scores;
      std::vector<double> down = scores;
      up[i] += kStep;
      down[i] -= kStep;
      const double slope = (loss_of(up) - loss_of(down)) / (2.0 * kStep);
      const auto add = [&](std::size_t column, double x) {
        gradient[classes[i] * columns + column] += slope * x;
        squares[classes[i] * columns + column] += slope * x * slope * x;
      };
      for (std::uint64_t p = step.plain.offsets[e]; p < step.plain.offsets[e + 1]; ++p) {
        add(step.plain.indices[p], static_cast<double>(step.plain.values[p]));
      }
      add(columns - 1, 1.0);
    }
  }
  std::vector<float> after(step.before.size());
  step.learner->download(Table::kClasses, after);
  const double scale = 0.2 * static_cast<double>(step.small->spec.tables[0].rate_scale);
  double moved = 0.0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double root =
        row.optimizer == OptimizerKind::kAdagrad ? std::sqrt(squares[i] + 1e-20) : 1;
    const double expected = static_cast<double>(step.before[i]) - scale * gradient[i] / root;
    ASSERT_NEAR(after[i], expected, 2e-4 * (1.0 + std::abs(expected))) << i;
    moved = std::max(moved, std::abs(expected - static_cast<double>(step.before[i])));
  }
  EXPECT_GT(moved, 0.01);
  const device::LearnerStats stats = step.learner->take_stats();
  EXPECT_NEAR(stats.loss, loss, 1e-4 * loss);
  EXPECT_EQ(stats.examples, kBatch);
  EXPECT_EQ(step.learner->take_stats().examples, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, DeviceShortlist,
    ::testing::Values(
        Case{"nce", Method::kNce, NoiseKind::kUnigram},
        Case{.name = "nce_sparse", .method = Method::kNce, .sparse = true},
        Case{.name = "nce_adagrad", .method = Method::kNce, .optimizer = OptimizerKind::kAdagrad},
        Case{.name = "nce_adagrad_sparse",
             .method = Method::kNce,
             .optimizer = OptimizerKind::kAdagrad,
             .sparse = true},
        Case{"neg", Method::kNeg}, Case{"blackout", Method::kBlackout}, Case{"css", Method::kCss},
        Case{"ove", Method::kOve},
        Case{"narrow", Method::kCane, NoiseKind::kProposal, SelectorKind::kNarrow},
        Case{"narrow_unigram", Method::kCane, NoiseKind::kUnigram, SelectorKind::kNarrow},
        Case{"tree", Method::kCane, NoiseKind::kProposal, SelectorKind::kTree},
        Case{.name = "tree_sparse",
             .method = Method::kCane,
             .noise = NoiseKind::kUniform,
             .select = SelectorKind::kTree,
             .sparse = true}),
    [](const auto& row) { return std::string(row.param.name); });

// With many noises every class outside the candidates is drawn, so that all of the law is seen.
class DeviceLaw : public ::testing::TestWithParam<Case> {};

TEST_P(DeviceLaw, SumsToOneAndIsWhatIsDrawn) {
  constexpr std::uint32_t kNoises = 20000;
  OneStep step(GetParam(), kNoises, 0.0F);
  const std::uint32_t candidates = step.lists().candidates;
  int checked = 0;
  for (std::uint32_t place = 0; place < kBatch; ++place) {
    const auto classes = step.classes(place);
    if (classes.size() < kNoises) continue;  // the label is no candidate, and the only noise
    ++checked;
    std::map<std::uint32_t, std::pair<double, double>> laws;  // class: q, count
    for (std::size_t j = candidates; j < classes.size(); ++j) {
      ASSERT_EQ(std::count(classes.begin(), classes.begin() + candidates, classes[j]), 0);
      auto& [q, count] = laws[classes[j]];
      q = std::exp(static_cast<double>(step.lists().log_q_of(place)[j - candidates]));
      count += 1.0;
    }
    double sum = 0.0;
    double chi_square = 0.0;
    for (const auto& [id, law] : laws) {
      const double expected = law.first * kNoises;
      sum += law.first;
      chi_square += (law.second - expected) * (law.second - expected) / expected;
    }
    ASSERT_EQ(laws.size(), kClasses - candidates);
    EXPECT_NEAR(sum, 1.0, 1e-4);
    // Mean 73, standard deviation 12.
    EXPECT_LT(chi_square, 73.0 + 5.0 * 12.1);
  }
  EXPECT_GT(checked, 0);
}

// The expectation over the noises of the gradient of CANE is the sum over all classes outside of
// q times the gradient with that noise.
TEST_P(DeviceLaw, GivesTheEnumeratedGradientInTheMean) {
  constexpr std::uint32_t kNoises = 20000;
  OneStep step(GetParam(), kNoises, 0.0F);
  const std::uint32_t candidates = step.lists().candidates;
  const std::size_t columns = step.columns();
  for (std::uint32_t place = 0; place < kBatch; ++place) {
    const auto classes = step.classes(place);
    if (classes.size() < kNoises) continue;
    std::map<std::uint32_t, double> q;
    std::map<std::uint32_t, double> learned;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      learned[classes[i]] +=
          static_cast<double>(step.learner->shortlists().values()[place * step.lists().size() + i]);
      if (i < candidates) continue;
      q[classes[i]] = std::exp(static_cast<double>(step.lists().log_q_of(place)[i - candidates]));
    }
    const auto exponential = [&](std::uint32_t id) {
      return std::exp(step.score(step.examples[place], &step.before[id * columns]));
    };
    double inside = 0.0;
    for (std::uint32_t i = 0; i < candidates; ++i) inside += exponential(classes[i]);
    std::map<std::uint32_t, double> expected;
    for (const auto& [id, probability] : q) {
      const double outside = exponential(id) / probability;
      expected[id] = probability * outside / (inside + outside);
      for (std::uint32_t i = 0; i < candidates; ++i) {
        expected[classes[i]] += probability * exponential(classes[i]) / (inside + outside);
      }
    }
    expected[classes[step.lists().label_at[place]]] -= 1.0;
    for (const auto& [id, value] : expected) EXPECT_NEAR(learned[id], value, 0.01) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Laws, DeviceLaw,
    ::testing::Values(Case{"narrow", Method::kCane, NoiseKind::kProposal, SelectorKind::kNarrow},
                      Case{"tree", Method::kCane, NoiseKind::kProposal, SelectorKind::kTree},
                      Case{"uniform", Method::kCane, NoiseKind::kUniform, SelectorKind::kNarrow},
                      Case{"unigram", Method::kCane, NoiseKind::kUnigram, SelectorKind::kTree}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace CANE_THIS_FILE
}  // namespace cane
