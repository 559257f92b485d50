// Labels: threads
// What a team makes of a batch, the generic way with every class a candidate, and a plain loop in
// double must agree: for the softmax, and for lists that the batch shares.
#include "step/step_team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/noise/uniform_noise.h"
#include "core/simd/block_kernels.h"
#include "linear/gradient/class_gradients.h"
#include "linear/scorers/flat_scorer.h"
#include "linear/weights/parameter_table.h"
#include "search/exact_selector.h"
#include "support/dense_gradient.h"
#include "support/every_target.h"
#include "support/plain_list.h"
#include "support/small_data.h"
#include "train/steps/shortlist_step.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;

constexpr std::uint32_t kClasses = 133;
constexpr FeatureId kDimension = 11;

struct PlainStep {
  double loss = 0.0;
  std::vector<double> steps;                     // minus the gradient in the weights
  std::vector<std::vector<double>> input_steps;  // minus the gradient in the rows
};

PlainStep plain_step(const testing::PlainList& list, const DatasetView& data,
                     std::span<const std::uint32_t> examples,
                     const std::vector<std::vector<double>>& rows, const BlockLayout& layout,
                     std::span<const float> weights, double clip) {
  PlainStep plain;
  plain.steps.assign(layout.size(), 0.0);
  std::vector<ClassId> labels;
  for (const std::uint32_t e : examples) labels.push_back(data.label(e));
  const std::size_t width = layout.dimension() + 1;
  for (std::size_t e = 0; e < examples.size(); ++e) {
    const std::vector<double>& x = rows[e];
    std::vector<double> scores(layout.node_bound(), 0.0);
    for (ClassId k = 0; k < scores.size(); ++k) {
      for (std::size_t i = 0; i < width; ++i) {
        scores[k] += x[i] * static_cast<double>(weights[layout.offset(k) + i]);
      }
    }
    const auto result = testing::plain_loss(testing::plain_terms(list, labels, e), scores);
    const auto weight = static_cast<double>(data.weight(examples[e]));
    plain.loss += weight * result.loss;
    double squares = 0.0;
    for (const double g : result.gradient) {
      for (const double feature : x) squares += std::pow(g * feature, 2.0);
    }
    const double length = weight * std::sqrt(squares);
    const double scale = clip > 0.0 && length > clip ? weight * clip / length : weight;
    plain.input_steps.emplace_back(width, 0.0);
    for (ClassId k = 0; k < scores.size(); ++k) {
      for (std::size_t i = 0; i < width; ++i) {
        plain.steps[layout.offset(k) + i] -= scale * result.gradient[k] * x[i];
        plain.input_steps[e][i] -=
            scale * result.gradient[k] * static_cast<double>(weights[layout.offset(k) + i]);
      }
    }
  }
  return plain;
}

/// Rows with a one for the bias.
std::vector<std::vector<double>> plain_rows(const DatasetView& data,
                                            std::span<const std::uint32_t> examples) {
  std::vector<std::vector<double>> rows;
  std::vector<float> scratch(data.dimension());
  for (const std::uint32_t e : examples) {
    const RowView row = data.row(e, scratch);
    rows.emplace_back(data.dimension() + 1, 0.0);
    for (std::uint32_t p = 0; p < row.count; ++p) {
      rows.back()[row.indices == nullptr ? p : row.indices[p]] = static_cast<double>(row.values[p]);
    }
    rows.back().back() = 1.0;
  }
  return rows;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 2e-5) << "weight " << i;
}

class StepTeamThreads : public ::testing::TestWithParam<bool> {
 protected:
  StepTeamThreads()
      : data_(options()),
        layout_(BlockLayout::flat(kClasses, kRowWidth, kDimension)),
        weights_(layout_.size(), 0.0F) {
    const CounterRandom random(3, RandomPurpose::kSynthetic);
    for (ClassId k = 0; k < kClasses; ++k) {
      for (std::size_t i = 0; i <= kDimension; ++i) {
        weights_[layout_.offset(k) + i] =
            0.5F * static_cast<float>(random.normal(k, static_cast<std::uint32_t>(i)));
      }
    }
    std::vector<float> example_weights(30, 1.0F);
    example_weights[3] = 0.0F;
    example_weights[4] = 2.5F;
    data_.set_weights(example_weights);
    for (std::uint32_t e = 2; e < 21; ++e) examples_.push_back(e);
  }
  static testing::SmallDataOptions options() {
    testing::SmallDataOptions options;
    options.classes = kClasses;
    options.examples = 30;
    options.dimension = kDimension;
    options.sparse = GetParam();
    return options;
  }

  struct Options {
    float clip = 0.0F;
    float l2 = 0.0F;
    OptimizerKind optimizer = OptimizerKind::kSgd;
    ListMaker::Rules list;
    const Whitening* whitening = nullptr;
  };
  struct Result {
    StepStats totals;
    std::vector<float> weights;
    std::vector<std::vector<std::uint32_t>> batches;
  };

  static Options all_classes(float clip = 0.0F, float l2 = 0.0F) {
    Options options = {.clip = clip, .l2 = l2, .optimizer = OptimizerKind::kSgd, .list = {}};
    for (ClassId k = 0; k < kClasses; ++k) options.list.shared.push_back(k);
    return options;
  }
  static std::vector<std::uint64_t> counts() {
    std::vector<std::uint64_t> counts;
    for (std::uint64_t k = 0; k < kClasses; ++k) counts.push_back(1 + k % 7 * k);
    return counts;
  }
  TeamParts parts(const DatasetView& view, const SlotLaw& law, const Options& options,
                  BlockOptimizer& optimizer, float* weights) const {
    return {.data = &view,
            .encoder = {},
            .classes = {&layout_, weights, &optimizer, &kOne},
            .layers = {},
            .learns_encoder_bias = false,
            .law = &law,
            .list = options.list,
            .clip = options.clip,
            .l2 = options.l2,
            .seed = kSeed,
            .whitening = options.whitening};
  }

  /// Learns batches of these sizes, one after the other.
  Result learn(const std::vector<std::size_t>& sizes, const Options& options, int threads) const {
    return learn(sizes, options, threads, data_.view(), weights_);
  }
  Result learn(const std::vector<std::size_t>& sizes, const Options& options, int threads,
               const DatasetView& view, const std::vector<float>& weights) const {
    Result result = {{}, weights, {}};
    std::size_t used = 0;
    for (const std::size_t size : sizes) {
      result.batches.emplace_back(examples_.begin() + static_cast<std::ptrdiff_t>(used),
                                  examples_.begin() + static_cast<std::ptrdiff_t>(used + size));
      used += size;
    }
    const SlotLaw law(counts(), kPower, options.list.shared);
    const auto optimizer = make_optimizer(options.optimizer, layout_);
    StepTeam team(parts(view, law, options, *optimizer, result.weights.data()),
                  *std::max_element(sizes.begin(), sizes.end()));
    ThreadPool pool(threads);
    team.run(kEpoch, 0, sizes.size(),
             {.batch = [&](std::uint64_t batch) -> std::span<const std::uint32_t> {
                return result.batches[batch];
              },
              .rate = [](std::uint64_t) { return kRate; },
              .go_on = [] { return true; },
              .learned = [&](const StepStats& stats) { result.totals.add(stats); }},
             pool);
    return result;
  }

  /// The same list for the plain loop.
  static testing::PlainList plain_list(const ListMaker::Rules& rules, std::uint64_t batch) {
    const SlotLaw law(counts(), kPower, rules.shared);
    testing::PlainList list = {rules.shared, rules.shares_labels, {}, {}};
    const CounterRandom random(kSeed, RandomPurpose::kSlots, kEpoch);
    for (std::uint32_t slot = 0; slot < rules.slots; ++slot) {
      list.drawn.push_back(law.draw(random, batch, slot));
    }
    for (ClassId k = 0; k < kClasses; ++k) list.q.push_back(std::exp(double{law.log_q(k)}));
    return list;
  }

  static constexpr float kOne = 1.0F;
  static constexpr float kPower = 0.5F;
  static constexpr std::uint64_t kSeed = 5;
  static constexpr std::uint32_t kEpoch = 3;
  static constexpr float kRate = 0.25F;
  SmallData data_;
  BlockLayout layout_;
  std::vector<float> weights_;
  std::vector<std::uint32_t> examples_;
};

TEST_P(StepTeamThreads, EqualsTheGenericSoftmaxAndAPlainLoop) {
  const DatasetView view = data_.view();
  const FlatScorer scorer(kClasses, layout_, weights_.data());
  const AllSelector selector(scorer);
  UniformNoise noise(kClasses);
  const CounterRandom random(1, RandomPurpose::kNoise);
  for (const float clip : {0.0F, 1.5F}) {
    const Options all = all_classes(clip);
    const Result team = learn({examples_.size()}, all, 3);
    ShortlistStep generic({.data = &view,
                           .encoder = {},
                           .scorer = &scorer,
                           .exclude_label = false,
                           .beam = kClasses,
                           .candidates = kClasses,
                           .noises = 0},
                          {selector.make_worker(), &noise}, Method::kSoftmax, clip,
                          std::make_unique<FlatGradient>(layout_), std::nullopt);
    const StepStats generic_totals = generic.compute(examples_, random);
    const PlainStep plain =
        plain_step(plain_list(all.list, 0), view, examples_, plain_rows(view, examples_), layout_,
                   weights_, static_cast<double>(clip));

    EXPECT_NEAR(team.totals.loss, plain.loss, 1e-4);
    EXPECT_NEAR(generic_totals.loss, plain.loss, 1e-4);
    EXPECT_EQ(team.totals.weight, 19.0 - 1.0 + 1.5);
    EXPECT_EQ(team.totals.weight, generic_totals.weight);
    EXPECT_EQ(team.totals.examples, generic_totals.examples);
    EXPECT_EQ(team.totals.covered, team.totals.examples);
    EXPECT_EQ(team.totals.rows_scored, 19U * kClasses);
    std::vector<double> steps;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      steps.push_back(static_cast<double>((team.weights[i] - weights_[i]) / kRate));
    }
    expect_near(steps, plain.steps);
    ASSERT_EQ(generic.gradients().size(), 1U);
    expect_near(testing::dense_steps(generic.gradients()[0], layout_), plain.steps);
  }
}

/// No candidates, some classes, the labels of the batch; few slots, and more than classes.
std::vector<ListMaker::Rules> shared_lists() {
  return {{{}, false, 1},    {{}, false, 9}, {{}, false, 300}, {{2, 3, 40, 70}, false, 7},
          {{5}, false, 200}, {{}, true, 6},  {{}, true, 150}};
}

TEST_P(StepTeamThreads, LearnsSharedListsAsAPlainLoopDoes) {
  const DatasetView view = data_.view();
  for (const ListMaker::Rules& rules : shared_lists()) {
    for (const float clip : {0.0F, 1.5F}) {
      for (const OptimizerKind optimizer : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
        const Options options = {.clip = clip, .l2 = 0.0F, .optimizer = optimizer, .list = rules};
        const std::vector<std::size_t> sizes = {12, 7};
        const Result team = learn(sizes, options, 3);
        std::vector<float> weights = weights_;
        std::vector<double> squares(weights.size(), 0.0);
        double loss = 0.0;
        for (std::size_t batch = 0; batch < sizes.size(); ++batch) {
          const auto& examples = team.batches[batch];
          const PlainStep plain =
              plain_step(plain_list(rules, batch), view, examples, plain_rows(view, examples),
                         layout_, weights, static_cast<double>(clip));
          loss += plain.loss;
          for (std::size_t i = 0; i < weights.size(); ++i) {
            squares[i] += plain.steps[i] * plain.steps[i];
            const double length = optimizer == OptimizerKind::kSgd ? 1.0 : std::sqrt(squares[i]);
            if (plain.steps[i] == 0.0) continue;
            weights[i] += kRate * static_cast<float>(plain.steps[i] / length);
          }
        }
        EXPECT_NEAR(team.totals.loss, loss, 1e-4 * loss);
        // A first step of AdaGrad has the same length however small the gradient is.
        const float close = optimizer == OptimizerKind::kSgd ? 2e-5F : 2e-3F;
        for (std::size_t i = 0; i < weights.size(); ++i) {
          ASSERT_NEAR(team.weights[i], weights[i], close)
              << rules.slots << " slots, weight " << i << ", clip " << clip;
        }
      }
    }
  }
}

/// z = R^T (x - m), and what A does with P = R R^T, for a lower triangular R.
struct Coordinates {
  Coordinates() : mean(kDimension) {
    const CounterRandom random(9, RandomPurpose::kSynthetic);
    AlignedBuffer<float> inverse(Whitening::size(kDimension));
    for (std::uint32_t i = 0; i < kDimension; ++i) {
      mean[i] = static_cast<float>(random.normal(i, 100));
      for (std::uint32_t j = 0; j < i; ++j) root[i][j] = 0.3 * random.normal(i, j);
      root[i][i] = 0.5 + 0.1 * i;
    }
    for (std::uint32_t i = 0; i < kDimension; ++i) {
      for (std::uint32_t j = 0; j < kDimension; ++j) {
        double sum = 0.0;
        for (std::uint32_t k = 0; k < kDimension; ++k) sum += root[i][k] * root[j][k];
        inverse.data()[i * Whitening::row_pitch(kDimension) + j] = static_cast<float>(sum);
      }
    }
    whitening.emplace(mean, std::move(inverse));
  }
  std::vector<float> whitened(const std::vector<double>& row) const {
    std::vector<float> z(kDimension);
    for (std::uint32_t j = 0; j < kDimension; ++j) {
      double sum = 0.0;
      for (std::uint32_t i = 0; i < kDimension; ++i) {
        sum += root[i][j] * (row[i] - static_cast<double>(mean[i]));
      }
      z[j] = static_cast<float>(sum);
    }
    return z;
  }
  /// From the weights (v, c) of a class over (z, 1) to those over (x, 1).
  void fold_back(float* weights) const {
    std::vector<double> folded(kDimension, 0.0);
    auto bias = static_cast<double>(weights[kDimension]);
    for (std::uint32_t i = 0; i < kDimension; ++i) {
      for (std::uint32_t j = 0; j < kDimension; ++j) {
        folded[i] += root[i][j] * static_cast<double>(weights[j]);
      }
      bias -= folded[i] * static_cast<double>(mean[i]);
    }
    for (std::uint32_t i = 0; i < kDimension; ++i) weights[i] = static_cast<float>(folded[i]);
    weights[kDimension] = static_cast<float>(bias);
  }

  std::vector<float> mean;
  double root[kDimension][kDimension] = {};
  std::optional<Whitening> whitening;
};

TEST_P(StepTeamThreads, WhitenedStepsAreThoseOverRowsThatWereWhitenedBefore) {
  const Coordinates coordinates;
  const DatasetView view = data_.view();
  std::vector<std::uint32_t> all(view.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<float> values;
  std::vector<float> weights;
  for (const std::vector<double>& row : plain_rows(view, all)) {
    const std::vector<float> z = coordinates.whitened(row);
    values.insert(values.end(), z.begin(), z.end());
  }
  for (std::size_t e = 0; e < view.size(); ++e) weights.push_back(view.weight(e));
  DatasetView::Dense dense;
  dense.matrix = reinterpret_cast<const std::byte*>(values.data());
  const DatasetView whitened(dense, kDimension, view.labels(), weights);
  const auto folded = [&](std::vector<float> of_classes) {
    for (ClassId k = 0; k < kClasses; ++k) {
      coordinates.fold_back(of_classes.data() + layout_.offset(k));
    }
    return of_classes;
  };
  std::vector<Options> cases = {all_classes(), all_classes(1.5F, 0.01F)};
  for (const ListMaker::Rules& rules : shared_lists()) {
    cases.push_back({.clip = 1.5F, .l2 = 0.01F, .optimizer = OptimizerKind::kSgd, .list = rules});
  }
  const std::vector<std::size_t> sizes = {5, 1, 7};
  for (Options& options : cases) {
    const Result before = learn(sizes, options, 1, whitened, weights_);
    options.whitening = &*coordinates.whitening;
    const Result team = learn(sizes, options, 1, view, folded(weights_));
    const std::vector<float> expected = folded(before.weights);
    EXPECT_NEAR(team.totals.loss, before.totals.loss, 1e-3);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(team.weights[i], expected[i], 2e-4F) << "weight " << i;
    }
    for (const int threads : {2, 4}) {
      ASSERT_EQ(learn(sizes, options, threads, view, folded(weights_)).weights, team.weights)
          << threads;
    }
  }
}

TEST_P(StepTeamThreads, CountsWhatIsListed) {
  const Result none = learn({19}, {.list = {{}, false, 1}}, 2);
  EXPECT_EQ(none.totals.covered, 0U);
  // The slot is a column, and every label another one, or an entry.
  EXPECT_GE(none.totals.rows_scored, 19U + 18U);
  EXPECT_LE(none.totals.rows_scored, 19U + 19U);
  std::vector<std::uint64_t> owners(kClasses, 0);
  for (const std::uint32_t e : examples_) ++owners[data_.view().label(e)];
  std::uint64_t shared = 0;
  for (const std::uint64_t count : owners) shared += count > 1 ? count : 0;
  EXPECT_EQ(learn({19}, {.list = {{}, true, 4}}, 2).totals.covered, shared);
}

TEST_P(StepTeamThreads, SharedListsAreTheSoftmaxWhereNothingIsLeftToDraw) {
  Options all = all_classes();
  const Result softmax = learn({12, 7}, all, 2);
  all.list.slots = 5;
  EXPECT_EQ(learn({12, 7}, all, 2).weights, softmax.weights);
}

TEST_P(StepTeamThreads, GivesTheSameBitsOnAnyNumberOfThreads) {
  std::vector<Options> cases = {all_classes(1.5F, 0.01F)};
  for (const ListMaker::Rules& rules : shared_lists()) {
    cases.push_back({.clip = 1.5F, .l2 = 0.01F, .optimizer = OptimizerKind::kSgd, .list = rules});
    cases.push_back({.list = rules});
    cases.back().optimizer = OptimizerKind::kAdagrad;
  }
  for (const Options& options : cases) {
    const Result alone = learn({5, 1, 7, 5, 1}, options, 1);
    for (const int threads : {2, 4}) {
      const Result team = learn({5, 1, 7, 5, 1}, options, threads);
      ASSERT_EQ(team.weights, alone.weights) << threads;
      EXPECT_EQ(team.totals.loss, alone.totals.loss) << threads;
    }
  }
}

TEST_P(StepTeamThreads, AgreesOnEveryInstructionSet) {
  const Options options = {.list = {{1, 2}, false, 60}};
  const Result best = learn({12, 7}, options, 1);
  on_every_target([&] {
    const Result other = learn({12, 7}, options, 1);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      ASSERT_NEAR(other.weights[i], best.weights[i], 1e-5F);
    }
  });
}

// In an embedding per feature, dense rows stay dense and sparse ones sparse.
class EncodedTeamThreads : public StepTeamThreads {
 protected:
  static constexpr std::uint32_t kDim = 6;

  struct EncodedResult {
    std::vector<float> classes;
    std::vector<float> embeddings;
    StepStats totals;
  };
  EncodedTeamThreads()
      : tables_{{"weights", BlockLayout::flat(kClasses, kRowWidth, kDim)},
                {"encoder.0", BlockLayout::flat(kDim, block_stride(kDim), kDimension),
                 TableRole::kEmbeddings}} {
    config_.encoder = EncoderKind::kBag;
    config_.dim = kDim;
    const CounterRandom random(4, RandomPurpose::kSynthetic);
    for (const ParameterTable& table : tables_) {
      start_.emplace_back(table.layout.size(), 0.0F);
    }
    for (ClassId k = 0; k < kClasses; ++k) {
      for (std::uint32_t i = 0; i <= kDim; ++i) {
        start_[0][tables_[0].layout.offset(k) + i] = 0.5F * static_cast<float>(random.normal(k, i));
      }
    }
    for (std::size_t f = 0; f <= kDimension; ++f) {
      for (std::uint32_t c = 0; c < kDim; ++c) {
        start_[1][f * block_stride(kDim) + c] =
            0.5F * static_cast<float>(random.normal(1000 + f, c));
      }
    }
  }

  EncodedResult learn_encoded(const std::vector<std::size_t>& sizes, const ListMaker::Rules& rules,
                              OptimizerKind optimizer, int threads) {
    EncodedResult result = {start_[0], start_[1], {}};
    const DatasetView view = data_.view();
    const SlotLaw law(counts(), kPower, rules.shared);
    std::vector<std::unique_ptr<BlockOptimizer>> optimizers;
    for (const ParameterTable& table : tables_) {
      optimizers.push_back(make_optimizer(optimizer, table.layout));
    }
    const auto encoder =
        make_encoder(config_, tables_, {result.classes.data(), result.embeddings.data()});
    const TeamParts parts = {
        .data = &view,
        .encoder = {.encoder = encoder.get(),
                    .first_table = 1,
                    .seed = kSeed,
                    .classes = {&tables_[0].layout, result.classes.data()},
                    .proposal = {}},
        .classes = {&tables_[0].layout, result.classes.data(), optimizers[0].get(), &kOne},
        .layers = {{&tables_[1].layout, result.embeddings.data(), optimizers[1].get(), &kScale}},
        .learns_encoder_bias = true,
        .law = &law,
        .list = rules,
        .seed = kSeed};
    StepTeam team(parts, 40);
    ThreadPool pool(threads);
    std::vector<std::size_t> begins = {0};
    for (const std::size_t size : sizes) begins.push_back(begins.back() + size);
    team.run(kEpoch, 0, sizes.size(),
             {.batch =
                  [&](std::uint64_t batch) {
                    return std::span<const std::uint32_t>(examples_).subspan(begins[batch],
                                                                             sizes[batch]);
                  },
              .rate = [](std::uint64_t) { return kRate; },
              .go_on = [] { return true; },
              .learned = [&](const StepStats& stats) { result.totals.add(stats); }},
             pool);
    return result;
  }

  static constexpr float kScale = 0.5F;
  TrainConfig config_;
  std::vector<ParameterTable> tables_;
  std::vector<std::vector<float>> start_;
};

TEST_P(EncodedTeamThreads, TakesTheGradientBackToTheEmbeddings) {
  const DatasetView view = data_.view();
  const BlockLayout& layout = tables_[0].layout;
  const std::size_t stride = block_stride(kDim);
  for (const ListMaker::Rules& rules : shared_lists()) {
    const EncodedResult team = learn_encoded({19}, rules, OptimizerKind::kSgd, 3);
    const auto features = plain_rows(view, examples_);
    std::vector<std::vector<double>> rows(features.size(), std::vector<double>(kDim + 1, 0.0));
    for (std::size_t e = 0; e < rows.size(); ++e) {
      for (std::size_t f = 0; f <= kDimension; ++f) {
        for (std::size_t c = 0; c < kDim; ++c) {
          rows[e][c] += features[e][f] * static_cast<double>(start_[1][f * stride + c]);
        }
      }
      rows[e][kDim] = 1.0;
    }
    const PlainStep plain =
        plain_step(plain_list(rules, 0), view, examples_, rows, layout, start_[0], 0.0);
    EXPECT_NEAR(team.totals.loss, plain.loss, 1e-4 * plain.loss);
    for (std::size_t i = 0; i < start_[0].size(); ++i) {
      ASSERT_NEAR(team.classes[i], start_[0][i] + kRate * static_cast<float>(plain.steps[i]),
                  5e-5F);
    }
    for (std::size_t f = 0; f <= kDimension; ++f) {
      for (std::size_t c = 0; c < kDim; ++c) {
        double step = 0.0;
        for (std::size_t e = 0; e < rows.size(); ++e) {
          step += features[e][f] * plain.input_steps[e][c];
        }
        ASSERT_NEAR(team.embeddings[f * stride + c],
                    start_[1][f * stride + c] + kScale * kRate * static_cast<float>(step), 1e-4F)
            << "feature " << f;
      }
    }
  }
}

TEST_P(EncodedTeamThreads, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const ListMaker::Rules& rules : shared_lists()) {
    for (const OptimizerKind optimizer : {OptimizerKind::kSgd, OptimizerKind::kAdagrad}) {
      const EncodedResult alone = learn_encoded({5, 1, 7, 5}, rules, optimizer, 1);
      for (const int threads : {2, 4}) {
        const EncodedResult team = learn_encoded({5, 1, 7, 5}, rules, optimizer, threads);
        ASSERT_EQ(team.classes, alone.classes) << threads;
        ASSERT_EQ(team.embeddings, alone.embeddings) << threads;
        EXPECT_EQ(team.totals.loss, alone.totals.loss);
      }
    }
  }
}

TEST_P(StepTeamThreads, DecaysAllWeightsForEachExample) {
  std::ranges::fill(examples_, 3U);  // has weight zero, so its gradient is zero, too
  const Result team = learn({6}, all_classes(0.0F, 0.5F), 2);
  const float factor = std::pow(1.0F - 0.5F * kRate, 6.0F);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    ASSERT_NEAR(team.weights[i], factor * weights_[i], 1e-6F);
  }
}

TEST_P(StepTeamThreads, EndsAfterTheBatchThatIsToBeTheLast) {
  const DatasetView view = data_.view();
  const auto optimizer = make_optimizer(OptimizerKind::kSgd, layout_);
  for (const Options& options : {all_classes(), Options{.list = {{}, false, 50}}}) {
    const SlotLaw law(counts(), kPower, options.list.shared);
    StepTeam team(parts(view, law, options, *optimizer, weights_.data()), 2);
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      int asked = 0;
      std::uint64_t learned = 0;
      team.run(
          kEpoch, 0, 9,
          {.batch = [&](std::uint64_t batch) { return std::span(examples_).subspan(2 * batch, 2); },
           .rate = [](std::uint64_t) { return kRate; },
           .go_on = [&] { return ++asked < 4; },
           .learned = [&](const StepStats&) { ++learned; }},
          pool);
      EXPECT_EQ(learned, 4U);
    }
  }
}

TEST_P(StepTeamThreads, ThrowsWhatTheCallerThrows) {
  const DatasetView view = data_.view();
  const auto optimizer = make_optimizer(OptimizerKind::kSgd, layout_);
  for (const Options& options : {all_classes(), Options{.list = {{}, false, 50}}}) {
    const SlotLaw law(counts(), kPower, options.list.shared);
    StepTeam team(parts(view, law, options, *optimizer, weights_.data()), 2);
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      const auto run = [&] {
        team.run(
            kEpoch, 0, 9,
            {.batch =
                 [&](std::uint64_t batch) { return std::span(examples_).subspan(2 * batch, 2); },
             .rate = [](std::uint64_t) { return kRate; },
             .go_on = [] { return true; },
             .learned = [](const StepStats&) { throw std::runtime_error("enough"); }},
            pool);
      };
      EXPECT_THROW(run(), std::runtime_error);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(DenseAndSparse, StepTeamThreads, ::testing::Bool());
INSTANTIATE_TEST_SUITE_P(DenseAndSparse, EncodedTeamThreads, ::testing::Bool());

}  // namespace CANE_THIS_FILE
}  // namespace cane
