#include "cane/model_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "cane/cane.h"
#include "methods/config_facts.h"
#include "support/error_text.h"
#include "support/method_rows.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::MethodRow;
using testing::TrainingFiles;

/// The parts of a model, and the tables they point into.
struct Apart {
  explicit Apart(const Model& model) : tables(tables_of(model)) {
    parts.config = model.config();
    parts.labels = model.labels();
    parts.dimension = model.dimension();
    parts.class_counts = model.class_counts();
    parts.tree = tree_of(model);
    for (const auto& [name, table] : tables) {
      parts.tables[name] = {table.values.data(), table.rows, table.columns};
    }
  }
  std::map<std::string, ModelTable> tables;
  ModelParts parts;
};

std::vector<Prediction> predictions(const Model& model) {
  PredictOptions options;
  options.top_k = 2;
  options.threads = 1;
  std::vector<Prediction> all;
  Predictor(model, options)
      .predict(TrainingFiles::shared().test(), [&](std::size_t, std::span<const Prediction> best) {
        all.insert(all.end(), best.begin(), best.end());
      });
  return all;
}

bool has_parts(const MethodRow& row) {
  return !row.is_online_tree() && !has_encoder(row.config) &&
         row.config.select != SelectorKind::kCentroid;
}

class EveryMethodInParts : public ::testing::TestWithParam<MethodRow> {};
INSTANTIATE_TEST_SUITE_P(Rows, EveryMethodInParts, ::testing::ValuesIn(testing::method_rows()),
                         testing::RowName());

TEST_P(EveryMethodInParts, PredictsTheSameAfterBeingTakenApartAndAssembled) {
  TrainConfig config = testing::short_training(GetParam());
  config.epochs = 1;
  const Model model = train(TrainingFiles::shared().train(), config).model;
  if (!has_parts(GetParam())) {
    EXPECT_THAT(error_text([&] { tables_of(model); }), ::testing::HasSubstr("no table of rows"));
    return;
  }
  const auto expected = predictions(model);
  const auto found = predictions(Model::from_bytes(assemble_model(Apart(model).parts).to_bytes()));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].class_id, expected[i].class_id);
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-5);
    EXPECT_NEAR(found[i].probability, expected[i].probability, 1e-5);
  }
}

/// Two features, three classes.
struct SmallParts {
  std::array<float, 9> weights = {1, 0, 0, 0, 1, 0, 0, 0, 0.5F};
  ModelParts parts;
  SmallParts() {
    parts.config.method = Method::kSoftmax;
    parts.labels = {"left", "right", "none"};
    parts.dimension = 2;
    parts.tables["weights"] = {weights.data(), 3, 3};
  }
};

TEST(ModelParts, ScoreByTheRowsTheyAreMadeOf) {
  const SmallParts small;
  const std::array<float, 2> row = {0.0F, 2.0F};
  Examples examples;
  examples.features = DenseRows{row.data(), 1, 2};
  const Model model = assemble_model(small.parts);
  std::array<std::uint32_t, 3> classes = {};
  std::array<float, 3> scores = {};
  Predictor(model, {.top_k = 3})
      .predict(examples, {.classes = classes.data(), .scores = scores.data()});
  EXPECT_EQ(model.labels()[classes[0]], "right");
  EXPECT_FLOAT_EQ(scores[0], 2.0F);
  EXPECT_EQ(model.labels()[classes[1]], "none");
  EXPECT_FLOAT_EQ(scores[1], 0.5F);
}

TEST(ModelParts, AreRefusedWithTheReasonWhereTheyDoNotFit) {
  struct Case {
    std::function<void(SmallParts&)> change;
    const char* message;
  };
  const std::vector<Case> cases = {
      {[](SmallParts& p) { p.parts.tables.clear(); }, "`weights` is missing"},
      {[](SmallParts& p) { p.parts.dimension = 5; }, "3 x 3, where 3 x 6 fit"},
      {[](SmallParts& p) { p.parts.labels[1] = "left"; }, "there twice"},
      {[](SmallParts& p) { p.parts.labels[1] = ""; }, "a label is empty"},
      {[](SmallParts& p) {
         p.parts.class_counts = {1, 2};
       },
       "3 labels and 2 counts"},
      {[](SmallParts& p) { p.weights[4] = std::numeric_limits<float>::quiet_NaN(); }, "row 1"},
      {[](SmallParts& p) { p.parts.tables["more"] = p.parts.tables["weights"]; },
       "no table `more`"},
      {[](SmallParts& p) { p.parts.config.method = Method::kLomTree; }, "an online tree"},
      {[](SmallParts& p) { p.parts.config.encoder = EncoderKind::kBag; }, "an encoder"},
      {[](SmallParts& p) {
         p.parts.config.method = Method::kHsm;
         p.parts.tree = {{2, 0, 0}, {0, 1}};
       },
       "the tree has 2 classes"}};
  for (const Case& one : cases) {
    SmallParts small;
    one.change(small);
    EXPECT_THAT(error_text([&] { assemble_model(small.parts); }),
                ::testing::HasSubstr(one.message));
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
