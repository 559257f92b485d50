#include "linear/encoders/encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/buffer.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr FeatureId kFeatures = 7;

// An encoder with random weights over a few sparse rows.
struct Fixture {
  explicit Fixture(const TrainConfig& config) : tables(make_tables(config, {}, 3, kFeatures, 1)) {
    const CounterRandom random(5, RandomPurpose::kSynthetic);
    for (std::size_t table = 0; table < tables.size(); ++table) {
      const BlockLayout& layout = tables[table].layout;
      weights.emplace_back(layout.size());
      if (layout.is_row_major()) continue;
      // Padding stays zero.
      for (std::size_t i = 0; i <= layout.dimension(); ++i) {
        for (std::uint32_t c = 0; c < config.dim; ++c) {
          weights[table].data()[i * layout.widest_stride() + c] =
              static_cast<float>(random.uniform(table * 1000 + i, c) - 0.45);
        }
      }
    }
    views = views_of(weights);
    rows = {{indices.data(), values.data(), 3}, {indices.data() + 3, values.data() + 3, 2}};
  }

  std::vector<ParameterTable> tables;
  std::vector<AlignedBuffer<float>> weights;
  WeightViews views;
  std::vector<FeatureId> indices = {0, 3, 6, 1, 3};
  std::vector<float> values = {0.5F, -1.0F, 2.0F, 1.5F, 0.25F};
  std::vector<RowView> rows;
};

TrainConfig config_of(EncoderKind kind, std::uint32_t layers = 1) {
  TrainConfig config;
  config.method = Method::kSoftmax;
  config.scorer = ScorerKind::kFlat;
  config.encoder = kind;
  config.dim = 5;
  config.layers = layers;
  return config;
}

TEST(Encoder, IsNoneWhereRowsAreTakenAsTheyAre) {
  const TrainConfig config = config_of(EncoderKind::kIdentity);
  const Fixture fixture(config);
  EXPECT_EQ(make_encoder(config, fixture.tables, fixture.views), nullptr);
}

TEST(Encoder, SumsTheEmbeddingsOfABag) {
  const TrainConfig config = config_of(EncoderKind::kBag);
  const Fixture fixture(config);
  const auto made = make_encoder(config, fixture.tables, fixture.views);
  const Encoder& encoder = *made;
  Encoder::Workspace workspace;
  const auto encoded = encoder.encode(fixture.rows, workspace);
  const BlockLayout& layout = encoder.layout(0);
  const float* weights = fixture.views.back().floats();
  for (std::size_t e = 0; e < fixture.rows.size(); ++e) {
    ASSERT_EQ(encoded[e].count, 5U);
    ASSERT_EQ(encoded[e].indices, nullptr);
    for (std::uint32_t c = 0; c < 5; ++c) {
      float expected = weights[kFeatures * layout.widest_stride() + c];
      for (std::uint32_t p = 0; p < fixture.rows[e].count; ++p) {
        expected += fixture.rows[e].values[p] *
                    weights[fixture.rows[e].indices[p] * layout.widest_stride() + c];
      }
      EXPECT_NEAR(encoded[e].values[c], expected, 1e-5F);
    }
  }
}

// A loss that weighs what the encoder gives differently in every place.
double loss(std::span<const RowView> encoded) {
  double sum = 0.0;
  for (std::size_t e = 0; e < encoded.size(); ++e) {
    for (std::uint32_t c = 0; c < encoded[e].count; ++c) {
      sum += std::sin(1.0 + static_cast<double>(e * 5 + c)) *
             static_cast<double>(encoded[e].values[c]);
    }
  }
  return sum;
}

class EncoderGradient : public ::testing::TestWithParam<std::pair<EncoderKind, std::uint32_t>> {};

TEST_P(EncoderGradient, IsThatOfFiniteDifferences) {
  const TrainConfig config = config_of(GetParam().first, GetParam().second);
  Fixture fixture(config);
  const auto made = make_encoder(config, fixture.tables, fixture.views);
  const Encoder& encoder = *made;
  Encoder::Workspace workspace;
  const auto encoded = encoder.encode(fixture.rows, workspace);
  std::vector<float> steps;  // minus the gradient
  for (std::size_t place = 0; place < encoded.size() * 5; ++place) {
    steps.push_back(static_cast<float>(-std::sin(1.0 + static_cast<double>(place))));
  }
  std::vector<GradientParts> gradients;
  std::vector<std::vector<RowView>> inputs;
  for (std::size_t layer = 0; layer < encoder.layers(); ++layer) {
    gradients.emplace_back(encoder.layout(layer));
    inputs.push_back(layer == 0 ? fixture.rows : workspace.layers[layer - 1].rows);
  }
  encoder.back(steps.data(), 5, workspace, gradients);

  constexpr float kStep = 1e-3F;
  Encoder::Workspace other;
  for (std::size_t layer = 0; layer < encoder.layers(); ++layer) {
    const BlockLayout& layout = encoder.layout(layer);
    float* weights = fixture.weights[1 + layer].data();
    std::vector<double> expected(layout.size(), 0.0);
    ASSERT_EQ(gradients[layer].parts().size(), fixture.rows.size());
    for (std::size_t part = 0; part < gradients[layer].parts().size(); ++part) {
      const RowView& row = inputs[layer][gradients[layer].parts()[part].example];
      for (std::uint32_t c = 0; c < 5; ++c) {
        const double step = static_cast<double>(gradients[layer].steps(part)[c]);
        for (std::uint32_t p = 0; p < row.count; ++p) {
          const std::size_t i = row.indices == nullptr ? p : row.indices[p];
          expected[i * layout.widest_stride() + c] -= step * static_cast<double>(row.values[p]);
        }
        expected[layout.dimension() * layout.widest_stride() + c] -= step;
      }
    }
    for (std::size_t i = 0; i < layout.size(); ++i) {
      if (i % layout.widest_stride() >= 5) continue;
      const float kept = weights[i];
      weights[i] = kept + kStep;
      const double above = loss(encoder.encode(fixture.rows, other));
      weights[i] = kept - kStep;
      const double below = loss(encoder.encode(fixture.rows, other));
      weights[i] = kept;
      EXPECT_NEAR((above - below) / (2.0 * static_cast<double>(kStep)), expected[i], 2e-3)
          << "layer " << layer << ", weight " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EncoderGradient,
                         ::testing::Values(std::pair(EncoderKind::kBag, 1U),
                                           std::pair(EncoderKind::kMlp, 1U),
                                           std::pair(EncoderKind::kMlp, 3U)));

TEST(Encoder, LeavesOutTheShareOfUnitsThatDropoutSays) {
  TrainConfig config = config_of(EncoderKind::kMlp);
  config.dropout = 0.25F;
  const Fixture fixture(config);
  const auto made = make_encoder(config, fixture.tables, fixture.views);
  const Encoder& encoder = *made;
  Encoder::Workspace all;
  const auto whole = encoder.encode(fixture.rows, all);
  std::uint64_t units = 0;
  std::uint64_t left_out = 0;
  for (std::uint32_t epoch = 0; epoch < 2000; ++epoch) {
    const std::vector<std::uint32_t> numbers = {11, 12};
    const Encoder::Dropout dropout = {CounterRandom(1, RandomPurpose::kDropout, epoch), numbers};
    Encoder::Workspace some;
    const auto dropped = encoder.encode(fixture.rows, some, &dropout);
    for (std::size_t e = 0; e < whole.size(); ++e) {
      for (std::uint32_t c = 0; c < 5; ++c) {
        if (whole[e].values[c] == 0.0F) continue;
        ++units;
        if (dropped[e].values[c] == 0.0F) {
          ++left_out;
        } else {
          EXPECT_FLOAT_EQ(dropped[e].values[c], whole[e].values[c] / 0.75F);
        }
      }
    }
  }
  ASSERT_GT(units, 0U);
  const auto count = static_cast<double>(units);
  const double share = static_cast<double>(left_out) / count;
  EXPECT_NEAR(share, 0.25, 5.0 * std::sqrt(0.25 * 0.75 / count));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
