// What is made of examples in memory and of a model of them: an order of their own, bytes, vectors,
// explanations, and nothing where the training is given up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "cane/cane.h"
#include "data/loaded_data.h"
#include "support/blobs.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::answers;
using testing::Blobs;
using testing::error_text;
using ::testing::HasSubstr;
using testing::quick;

constexpr std::size_t kClasses = Blobs::kClasses;
constexpr std::size_t kColumns = Blobs::kColumns;

TEST(CanonicalTest, OrderAndRepeatsDoNotMatterAndWholeWeightsAreRepeats) {
  const Blobs blobs(50);
  std::vector<std::uint32_t> repeated;
  std::vector<float> weights;
  for (std::uint32_t example = 0; example < 50; ++example) {
    weights.push_back(static_cast<float>(example % 4));
    repeated.insert(repeated.end(), example % 4, example);
  }
  std::ranges::reverse(repeated);
  Examples weighted = blobs.dense();
  weighted.weights = weights;
  const Dataset one = Dataset::load(weighted).canonical();
  const Dataset two = Dataset::load(blobs.dense()).subset(repeated).canonical();
  ASSERT_EQ(one.size(), repeated.size());
  EXPECT_FALSE(one.data().view.has_weights());
  EXPECT_TRUE(std::ranges::equal(one.class_ids(), two.class_ids()));
  const std::string bytes = train(one, quick()).model.with_attributes({}).to_bytes();
  const auto same = [&](const Dataset& data) {
    const Model other = train(data, quick()).model;
    return answers(other, blobs.dense(), 3) == answers(Model::from_bytes(bytes), blobs.dense(), 3);
  };
  EXPECT_TRUE(same(two));
}

TEST(CanonicalTest, OtherWeightsStayAndZerosGo) {
  const Blobs blobs(8);
  const std::vector<float> weights = {0.5F, 0.0F, 2.0F, 1.0F, 1.0F, 1.0F, 0.0F, 3.0F};
  Examples weighted = blobs.dense();
  weighted.weights = weights;
  const Dataset data = Dataset::load(weighted).canonical();
  EXPECT_EQ(data.size(), 6U);
  EXPECT_TRUE(data.data().view.has_weights());
  const std::vector<float> none(8, 0.0F);
  weighted.weights = none;
  EXPECT_THAT(error_text([&] { Dataset::load(weighted).canonical(); }), HasSubstr("weight"));
}

TEST(ModelBytesTest, BytesAndAttributesAreKept) {
  const Blobs blobs(200);
  const Model model = train(Dataset::load(blobs.dense()), quick()).model;
  const Model named = model.with_attributes({{"test.colour", "red\n\"x\""}});
  const Model again = Model::from_bytes(named.to_bytes());
  EXPECT_EQ(again.attributes(), named.attributes());
  EXPECT_EQ(answers(again, blobs.dense(), 3), answers(model, blobs.dense(), 3));
  const testing::TemporaryFolder folder;
  named.save(folder.path("m"));
  EXPECT_EQ(Model::load(folder.path("m")).attributes(), named.attributes());
  EXPECT_EQ(testing::TemporaryFolder::read(folder.path("m")), named.to_bytes());
  std::string damaged = named.to_bytes();
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_THAT(error_text([&] { Model::from_bytes(damaged); }), HasSubstr("checksum"));
  EXPECT_THAT(error_text([] { Model::from_bytes("no model at all"); }), HasSubstr("safetensors"));
}

TEST(InterruptionTest, APreparationCanBeGivenUp) {
  struct Impatient : TrainObserver {
    bool give_up_requested() override { return true; }
  };
  const Blobs blobs(4000);
  Impatient observer;
  TrainConfig config = quick();
  config.method = Method::kCane;
  EXPECT_THROW(train(Dataset::load(blobs.dense()), config, &observer), Interrupted);
  EXPECT_EQ(train(Dataset::load(blobs.dense()), config).epochs, 3U);
}

TEST(ClassVectorsTest, ScoresAreTheirProducts) {
  const Blobs blobs(200);
  TrainConfig config = quick();
  config.method = Method::kSoftmax;
  const Model model = train(Dataset::load(blobs.dense()), config).model;
  const ClassVectors vectors = class_vectors(model);
  ASSERT_EQ(vectors.weights.size(), kClasses * kColumns);
  std::vector<std::uint32_t> classes(200);
  std::vector<float> scores(200);
  Predictor(model).predict(blobs.dense(), {classes.data(), scores.data()});
  for (std::size_t row = 0; row < 200; ++row) {
    const float* const x = blobs.values.data() + row * kColumns;
    const float* const w = vectors.weights.data() + classes[row] * kColumns;
    EXPECT_NEAR(std::inner_product(x, x + kColumns, w, vectors.biases[classes[row]]), scores[row],
                1e-3F);
  }
}

TEST(ExplainRowTest, ARowOfFeaturesAddsUpToItsScores) {
  const Blobs blobs(200);
  TrainConfig config = quick();
  config.method = Method::kSoftmax;
  const Model model = train(Dataset::load(blobs.dense()), config).model;
  std::vector<Feature> features;
  for (std::uint32_t i = 0; i < kColumns; ++i) features.push_back({i, blobs.values[i]});
  const Explanation explanation = Explainer(model).explain(features);
  float sum = 0.0F;
  for (const Contribution& one : explanation.contributions) sum += one.first;
  EXPECT_NEAR(sum, explanation.first_score, 1e-3F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
