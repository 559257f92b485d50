// The online trees over a representation that they learn.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "cane/names.h"
#include "support/training.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::SmallData;
using testing::SmallDataOptions;
using testing::Training;

TrainConfig encoded(Method method, EncoderKind encoder) {
  TrainConfig config;
  config.method = method;
  config.encoder = encoder;
  if (encoder != EncoderKind::kIdentity) config.dim = 32;
  config.lr = 0.1F;
  config.epochs = 20;
  config.threads = 1;
  config.deterministic = true;
  return config;
}

// Points on a circle in two classes that take turns, six stretches each: a line has at least a
// third of them on its wrong side.
class Circle {
 public:
  Circle() {
    const CounterRandom random(3, RandomPurpose::kSynthetic);
    for (std::uint32_t e = 0; e < 1200; ++e) {
      const double turn = random.uniform(e, 0);
      labels_.push_back(static_cast<ClassId>(static_cast<int>(turn * 6.0) % 2));
      const double angle = 2.0 * std::numbers::pi * turn;
      values_.push_back(static_cast<float>(std::cos(angle)));
      values_.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  DatasetView view() const {
    DatasetView::Dense dense;
    dense.matrix = reinterpret_cast<const std::byte*>(values_.data());
    return {dense, 2, labels_, {}};
  }

 private:
  std::vector<float> values_;
  std::vector<ClassId> labels_;
};

TEST(EncodedTrees, LayersLearnWhatNoLineSeparates) {
  const Circle circle;
  for (const Method method : {Method::kFilterTree, Method::kRecallTree}) {
    Training plain(circle, encoded(method, EncoderKind::kIdentity), 2);
    plain.start();
    plain.run_all();
    EXPECT_LT(plain.accuracy(), 0.7) << name_of(method);
    Training layers(circle, encoded(method, EncoderKind::kMlp), 2);
    layers.start();
    layers.run_all();
    EXPECT_GT(layers.accuracy(), 0.9) << name_of(method);
  }
}

TEST(EncodedTrees, CarryTheGradientOfTheirLossBackToTheEncoder) {
  SmallDataOptions options;
  options.noise = 1.5F;
  const SmallData data(options);
  for (const EncoderKind encoder : {EncoderKind::kBag, EncoderKind::kMlp}) {
    TrainConfig config = encoded(Method::kFilterTree, encoder);
    config.epochs = 1;
    if (encoder == EncoderKind::kMlp) config.layers = 2;
    Training run(data, config);
    run.start();
    run.run_all();
    const auto worker = run.method.parts.make_example_worker();
    const CounterRandom random(1, RandomPurpose::kNoise);
    std::size_t compared = 0;
    for (std::uint32_t example = 0; example < 40; ++example) {
      // So small a rate that its own rows stay where they are.
      const auto learn = [&] { return worker->learn(std::span(&example, 1), 1e-9F, random).loss; };
      learn();
      // What was found is lost with the next call.
      struct Found {
        std::size_t table;
        std::vector<float> steps;
        std::vector<float> row;
      };
      std::vector<Found> found;
      for (const TableGradient& gradient : worker->gradients()) {
        const float* steps = gradient.parts->steps(0);
        const RowView& row = gradient.rows[0];
        ASSERT_EQ(row.indices, nullptr);
        found.push_back(
            {gradient.table, {steps, steps + config.dim}, {row.values, row.values + row.count}});
      }
      for (const Found& own : found) {
        const std::size_t stride = run.model.tables[own.table].layout.shape(0).stride;
        float* weights = run.state.weights[own.table].data();
        for (std::uint32_t unit = 0; unit < config.dim; unit += 5) {
          const std::size_t feature = example % own.row.size();
          const double gradient = -static_cast<double>(own.steps[unit] * own.row[feature]);
          float& weight = weights[feature * stride + unit];
          constexpr float kDelta = 1e-3F;
          const float before = weight;
          weight = before + kDelta;
          const double above = learn();
          weight = before - kDelta;
          const double below = learn();
          weight = before;
          const double here = learn();
          // Where a score is cut, or a match lost, the loss has an edge.
          if (std::abs(above + below - 2.0 * here) > 1e-4) continue;
          EXPECT_NEAR((above - below) / (2.0 * static_cast<double>(kDelta)), gradient,
                      0.02 * std::abs(gradient) + 5e-3)
              << name_of(encoder) << ", table " << own.table;
          compared += std::abs(gradient) > 0.05 ? 1 : 0;
        }
      }
    }
    EXPECT_GT(compared, 20U) << name_of(encoder);
  }
}

TEST(EncodedTrees, HaveNoScalesOfTheFeatures) {
  const SmallData data(SmallDataOptions{});
  for (const Method method : {Method::kFilterTree, Method::kLomTree, Method::kRecallTree}) {
    const Training plain(data, encoded(method, EncoderKind::kIdentity));
    EXPECT_EQ(plain.model.tables.back().name, "feature_scales");
    const Training run(data, encoded(method, EncoderKind::kBag));
    EXPECT_EQ(run.model.tables.back().name, "encoder.0");
    for (const ParameterTable& table : run.model.tables) {
      EXPECT_NE(table.name, "feature_scales");
    }
    EXPECT_EQ(run.layout().dimension(), 32U);
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
