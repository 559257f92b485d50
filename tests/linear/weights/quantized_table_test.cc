#include "linear/weights/quantized_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"
#include "linear/weights/weight_view.h"
#include "support/error_text.h"

namespace cane {
namespace CANE_THIS_FILE {

// Every layout there is: rows, panels, one block of embeddings, a tree with nodes of several
// widths.
std::vector<ParameterTable> every_table() {
  const ClassTree tree({3, 2, 5, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5, 6, 7});
  return {{"rows", BlockLayout::flat(7, 1, 13)},
          {"panels", BlockLayout::flat(20, 16, 13)},
          {"embeddings", BlockLayout::flat(12, block_stride(12), 13), TableRole::kEmbeddings},
          {"paths", BlockLayout(tree, 13)}};
}

// Weights of very different sizes.
AlignedBuffer<float> random_weights(const BlockLayout& layout) {
  const CounterRandom random(5, RandomPurpose::kSynthetic);
  AlignedBuffer<float> weights(layout.size());
  for (std::size_t i = 0; i < layout.size(); ++i) {
    weights.data()[i] =
        static_cast<float>(random.normal(i, 0) * std::exp(3.0 * random.normal(i % 29, 1)));
  }
  return weights;
}

template <typename Body>
void for_every_weight(const BlockLayout& layout, const float* weights, const WeightView& view,
                      const Body& body) {
  for (NodeId block = 0; block < layout.node_bound(); ++block) {
    const BlockShape shape = layout.shape(block);
    std::vector<float> decoded((std::size_t{shape.dimension} + 1) * shape.stride);
    view.decode(layout, block, decoded.data());
    for (std::size_t i = 0; i <= shape.dimension; ++i) {
      for (std::size_t c = 0; c < shape.stride; ++c) {
        body(weights[layout.offset(block) + i * shape.stride + c], decoded[i * shape.stride + c], i,
             layout.first_column(block) + c);
      }
    }
  }
}

TEST(QuantizedTable, IsOffByHalfAScaleAtMost) {
  for (const ParameterTable& table : every_table()) {
    SCOPED_TRACE(table.name);
    const auto weights = random_weights(table.layout);
    const auto quantized = quantize_table(table, weights.data(), QuantizedType::kInt8);
    float worst = 0.0F;
    for_every_weight(table.layout, weights.data(), quantized.weights(),
                     [&](float weight, float decoded, std::size_t feature, std::size_t column) {
                       if (feature == table.layout.dimension()) {
                         ASSERT_EQ(decoded, weight) << "a bias";
                         return;
                       }
                       const float scale =
                           quantized.scales[quantized.scales_features ? feature : column];
                       ASSERT_LE(std::abs(weight - decoded), 0.50001F * scale);
                       worst = std::max(worst, std::abs(weight - decoded) / scale);
                     });
    EXPECT_GT(worst, 0.4F);
  }
}

TEST(QuantizedTable, InSixteenBitsIsOffByAShareOfEachWeight) {
  for (const ParameterTable& table : every_table()) {
    SCOPED_TRACE(table.name);
    const auto weights = random_weights(table.layout);
    const auto quantized = quantize_table(table, weights.data(), QuantizedType::kFloat16);
    for_every_weight(table.layout, weights.data(), quantized.weights(),
                     [&](float weight, float decoded, std::size_t, std::size_t) {
                       ASSERT_LE(std::abs(weight - decoded), std::abs(weight) / 2048.0F + 3e-8F);
                     });
  }
}

TEST(QuantizedTable, CountsTheWeightsThatAreZero) {
  const ParameterTable table = every_table().front();
  const auto weights = random_weights(table.layout);
  const auto quantized = quantize_table(table, weights.data(), QuantizedType::kInt8);
  std::size_t zeros = 0;
  for_every_weight(table.layout, weights.data(), quantized.weights(),
                   [&](float, float decoded, std::size_t feature, std::size_t) {
                     if (feature != table.layout.dimension() && decoded == 0.0F) ++zeros;
                   });
  EXPECT_GT(zeros, 0U);
  EXPECT_EQ(quantized.zeros, zeros);
}

TEST(QuantizedTable, DecodesAColumnAsItsBlock) {
  for (const ParameterTable& table : every_table()) {
    if (table.name == "paths") continue;
    SCOPED_TRACE(table.name);
    const auto weights = random_weights(table.layout);
    const auto quantized = quantize_table(table, weights.data(), QuantizedType::kInt8);
    for_every_weight(table.layout, weights.data(), quantized.weights(),
                     [&](float, float decoded, std::size_t feature, std::size_t column) {
                       std::vector<float> values(std::size_t{table.layout.dimension()} + 1);
                       WeightView(quantized.weights())
                           .decode_column(table.layout, static_cast<ClassId>(column), values);
                       ASSERT_EQ(values[feature], decoded);
                     });
  }
}

TEST(QuantizedTable, AVectorOfZerosStaysOne) {
  const ParameterTable table = every_table().front();
  const AlignedBuffer<float> weights(table.layout.size());
  const auto quantized = quantize_table(table, weights.data(), QuantizedType::kInt8);
  for_every_weight(
      table.layout, weights.data(), quantized.weights(),
      [&](float, float decoded, std::size_t, std::size_t) { ASSERT_EQ(decoded, 0.0F); });
}

TEST(QuantizedTable, RefusesWeightsThatDoNotFit) {
  const ParameterTable table = every_table().front();
  auto weights = random_weights(table.layout);
  weights.data()[3] = 70000.0F;
  EXPECT_THAT(
      testing::error_text([&] { quantize_table(table, weights.data(), QuantizedType::kFloat16); }),
      ::testing::HasSubstr("`bits 8`"));
  quantize_table(table, weights.data(), QuantizedType::kInt8);
  weights.data()[3] = NAN;
  EXPECT_THAT(
      testing::error_text([&] { quantize_table(table, weights.data(), QuantizedType::kInt8); }),
      ::testing::HasSubstr("not a number"));
}

TEST(SparseCode, GivesTheSequenceBack) {
  const auto zero = [](std::int8_t value) { return value == 0; };
  for (const std::size_t size : {0U, 1U, 254U, 255U, 256U, 510U, 511U, 3000U}) {
    for (const std::size_t every : {1U, 2U, 254U, 255U, 256U, 257U, 5000U}) {
      std::vector<std::int8_t> sequence(size);
      for (std::size_t i = every - 1; i < size; i += every) sequence[i] = 5;
      const auto code = encode_sparse(std::span<const std::int8_t>(sequence), zero);
      ASSERT_TRUE(is_sparse_code(code.gaps, code.values.size(), size)) << size << " " << every;
      std::vector<std::int8_t> decoded(size);
      decode_sparse(std::span<const std::uint8_t>(code.gaps), code.values.data(), decoded.data());
      ASSERT_EQ(decoded, sequence);
    }
  }
}

TEST(SparseCode, MustBeAsLongAsTheSequence) {
  const std::vector<std::uint8_t> gaps = {255, 3, 255};
  const std::size_t length = 255 + 4 + 255;
  EXPECT_TRUE(is_sparse_code(gaps, 1, length));
  EXPECT_TRUE(is_sparse_code(gaps, 1, length + 254));
  EXPECT_FALSE(is_sparse_code(gaps, 1, length + 255));
  EXPECT_FALSE(is_sparse_code(gaps, 1, length - 1));
  EXPECT_FALSE(is_sparse_code(gaps, 2, length));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
