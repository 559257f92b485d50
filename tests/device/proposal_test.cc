// The proposals of a device's learner: what they propose, and the step of their likelihood.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

constexpr std::uint32_t kClasses = 90;
constexpr std::uint32_t kBatch = 10;
constexpr std::uint32_t kCandidates = 6;
constexpr std::uint32_t kRank = 3;
constexpr float kRate = 0.1F;

using Scored = std::pair<double, std::uint32_t>;

void keep_best(std::vector<Scored>& scored, std::size_t keep) {
  std::sort(scored.begin(), scored.end(), [](const Scored& a, const Scored& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  scored.resize(std::min(keep, scored.size()));
}

class DeviceProposal : public ::testing::TestWithParam<SelectorKind> {
 protected:
  DeviceProposal()
      : data_(options()), run_(data_, config(), kClasses), plain_(run_.view), small_(run_) {
    const CounterRandom random(5, RandomPurpose::kSynthetic);
    for (std::size_t t = 0; t < run_.state.weights.size(); ++t) {
      for (std::size_t i = 0; i < run_.state.weights[t].size(); ++i) {
        run_.state.weights[t].data()[i] =
            0.5F * static_cast<float>(random.normal(i, static_cast<std::uint32_t>(t)));
      }
    }
    small_.spec.kept_examples = run_.view.size();
    small_.spec.kept_values = plain_.values.size();
    // A few classes at a time, so that there are blocks.
    learner_ = std::make_unique<LearnerOn<HostBackend>>(small_.spec, kBatch * 64);
    learner_->keep_data(plain_.rows());
    small_.upload(run_.state, *learner_);
    for (const Table table : {Table::kClasses, Table::kProjection, Table::kProposal}) {
      before_.push_back(small_.numbers(table, run_.state));
    }
    for (std::uint32_t e = 0; e < kBatch; ++e) examples_.push_back(e);
    learner_->step(examples_, {kRate, 0});
  }

  static SmallDataOptions options() {
    SmallDataOptions options;
    options.classes = kClasses;
    options.examples = kBatch;
    options.dimension = 5;
    return options;
  }
  static TrainConfig config() {
    TrainConfig config;
    config.method = Method::kCane;
    config.select = GetParam();
    config.scorer = ScorerKind::kFlat;
    config.candidates = kCandidates;
    config.rank = kRank;
    config.noises = 2;
    config.batch = kBatch;
    config.lr = kRate;
    if (GetParam() == SelectorKind::kTree) config.arity = 4;
    return config;
  }

  using Weights = std::vector<std::vector<float>>;

  double class_score(std::uint32_t e, std::uint32_t id) const {
    const std::size_t columns = std::size_t{small_.spec.dimension} + 1;
    const float* row = before_[0].data() + id * columns;
    double sum = static_cast<double>(row[columns - 1]);
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      sum +=
          static_cast<double>(row[i]) * static_cast<double>(plain_.values[e * (columns - 1) + i]);
    }
    return sum;
  }
  /// The score of a row of the proposal.
  double score(const Weights& weights, std::uint32_t e, std::uint32_t row) const {
    const std::size_t dimension = small_.spec.dimension;
    double sum = static_cast<double>(weights[2][row * (kRank + 1) + kRank]);
    for (std::uint32_t c = 0; c < kRank; ++c) {
      double projected = static_cast<double>(weights[1][dimension * kRank + c]);
      for (std::size_t i = 0; i < dimension; ++i) {
        projected += static_cast<double>(plain_.values[e * dimension + i]) *
                     static_cast<double>(weights[1][i * kRank + c]);
      }
      sum += projected * static_cast<double>(weights[2][row * (kRank + 1) + c]);
    }
    return sum;
  }
  /// log p' of every child of a node, or of every class.
  std::vector<double> log_softmax(const Weights& weights, std::uint32_t e, std::uint32_t first,
                                  std::uint32_t count) const {
    std::vector<double> scores;
    double sum = 0.0;
    for (std::uint32_t i = 0; i < count; ++i) {
      scores.push_back(score(weights, e, first + i));
      sum += std::exp(scores.back());
    }
    for (double& value : scores) value -= std::log(sum);
    return scores;
  }
  double loss(const Weights& weights) const {
    double sum = 0.0;
    const bool is_tree = GetParam() == SelectorKind::kTree;
    const std::uint32_t learned = is_tree ? kBatch : (kBatch + 3) / 4;
    const ClassTree& tree = run_.model.tree;
    for (std::uint32_t e = 0; e < learned; ++e) {
      if (!is_tree) {
        sum -= log_softmax(weights, e, 0, kClasses)[plain_.labels[e]];
        continue;
      }
      for (NodeId node = tree.leaf_of(plain_.labels[e]); node != 0; node = tree.parent(node)) {
        const NodeId parent = tree.parent(node);
        const NodeId first = tree.first_child(parent);
        sum -= log_softmax(weights, e, first, tree.child_count(parent))[node - first];
      }
    }
    return sum;
  }
  /// The classes that the search should propose.
  std::vector<std::uint32_t> proposed(std::uint32_t e) const {
    std::vector<Scored> best;
    if (GetParam() == SelectorKind::kNarrow) {
      const auto scores = log_softmax(before_, e, 0, kClasses);
      for (std::uint32_t k = 0; k < kClasses; ++k) best.emplace_back(scores[k], k);
      keep_best(best, small_.spec.beam);
    } else {
      const ClassTree& tree = run_.model.tree;
      best = {{0.0, 0}};
      for (std::uint32_t level = 0; level < tree.depth(); ++level) {
        std::vector<Scored> next;
        for (const auto& [value, node] : best) {
          if (tree.is_leaf(node)) {
            next.emplace_back(value, node);
            continue;
          }
          const NodeId first = tree.first_child(node);
          const auto children = log_softmax(before_, e, first, tree.child_count(node));
          for (std::uint32_t c = 0; c < children.size(); ++c) {
            next.emplace_back(value + children[c], first + c);
          }
        }
        keep_best(next, small_.spec.beam);
        best = next;
      }
      for (auto& [value, node] : best) node = tree.leaf_class(node);
    }
    std::vector<std::uint32_t> classes;
    for (const auto& [value, id] : best) classes.push_back(id);
    return classes;
  }

  SmallData data_;
  Training run_;
  PlainData plain_;
  SmallSpec small_;
  std::unique_ptr<LearnerOn<HostBackend>> learner_;
  Weights before_;
  std::vector<std::uint32_t> examples_;
};

TEST_P(DeviceProposal, CandidatesAreTheBestOfWhatItProposes) {
  ASSERT_LT(small_.spec.beam, kClasses);
  for (std::uint32_t e = 0; e < kBatch; ++e) {
    std::vector<Scored> scored;
    for (const std::uint32_t id : proposed(e)) scored.emplace_back(class_score(e, id), id);
    keep_best(scored, kCandidates);
    std::vector<std::uint32_t> expected;
    for (const auto& [value, id] : scored) expected.push_back(id);
    std::sort(expected.begin(), expected.end());
    const std::uint32_t* found = learner_->shortlists().lists().of(e);
    EXPECT_EQ(std::vector<std::uint32_t>(found, found + kCandidates), expected) << e;
  }
}

TEST_P(DeviceProposal, LearnsByItsOwnLikelihood) {
  for (const std::size_t table : {std::size_t{1}, std::size_t{2}}) {
    std::vector<float> after(before_[table].size());
    learner_->download(static_cast<Table>(table), after);
    const float scale = small_.spec.tables[table].rate_scale;
    double moved = 0.0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      constexpr float kStep = 0x1p-9F;
      Weights up = before_;
      Weights down = before_;
      up[table][i] += kStep;
      down[table][i] -= kStep;
      const double slope =
          (loss(up) - loss(down)) / static_cast<double>(up[table][i] - down[table][i]);
      const double expected =
          static_cast<double>(before_[table][i]) - static_cast<double>(kRate * scale) * slope;
      ASSERT_NEAR(after[i], expected, 2e-4) << table << " " << i;
      moved = std::max(moved, std::abs(slope));
    }
    EXPECT_GT(moved, 0.1);
  }
}

INSTANTIATE_TEST_SUITE_P(Selectors, DeviceProposal,
                         ::testing::Values(SelectorKind::kNarrow, SelectorKind::kTree),
                         [](const auto& row) {
                           return row.param == SelectorKind::kNarrow ? std::string("narrow")
                                                                     : std::string("tree");
                         });

}  // namespace CANE_THIS_FILE
}  // namespace cane
