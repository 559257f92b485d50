// Models whose parts do not fit one another, though every checksum is right, and what reading them
// says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "model/model_file.h"
#include "support/error_text.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::TrainingFiles;

class ForgedModelTest : public ::testing::Test {
 protected:
  ModelData model(Method method, SelectorKind select = SelectorKind::kAuto) const {
    TrainConfig config = TrainingFiles::config();
    config.method = method;
    config.select = select;
    if (method != Method::kCane) config.candidates = 0;
    config.epochs = 1;
    config.rank = 6;
    return train(files_.train(), config).model.data();
  }

  void expect_refused(const ModelData& forged, std::initializer_list<const char*> words) const {
    const std::string path = files_.folder().path("forged");
    write_model(path, forged);
    const std::string message = testing::error_text([&] { Model::load(path); });
    EXPECT_THAT(message, ::testing::HasSubstr("forged: "));
    EXPECT_THAT(message, ::testing::HasSubstr("train again"));
    for (const char* word : words) {
      EXPECT_THAT(message, ::testing::HasSubstr(word)) << "'" << word << "' in: " << message;
    }
  }

  TrainingFiles files_;
};

TEST_F(ForgedModelTest, AMethodThatWasNeverChosenIsRefused) {
  ModelData forged = model(Method::kSoftmax);
  forged.config.method = Method::kAuto;
  expect_refused(forged, {"leave the method open"});
  forged.config.method = Method::kCane;
  expect_refused(forged, {"selector"});
  forged.config.method = Method::kSoftmax;
  forged.config.scorer = ScorerKind::kAuto;
  expect_refused(forged, {"scorer"});
  forged.config.scorer = ScorerKind::kFlat;
  forged.config.beam = 0;
  expect_refused(forged, {"beam"});
}

TEST_F(ForgedModelTest, WeightsThatAreNoNumbersAreRefused) {
  ModelData forged = model(Method::kSoftmax);
  const std::size_t size = forged.tables[0].layout.size();
  std::vector<float> weights(forged.weights[0].floats(), forged.weights[0].floats() + size);
  forged.weights[0] = WeightView(weights.data());
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    for (const std::size_t place : {std::size_t{0}, size - 1}) {
      const float before = std::exchange(weights[place], bad);
      expect_refused(forged, {"weights has weights that are no numbers"});
      weights[place] = before;
    }
  }
}

TEST_F(ForgedModelTest, LabelsOfSeveralLinesAreRefused) {
  ModelData forged = model(Method::kSoftmax);
  for (const char* label : {"a\nb", "a\tb", "\x1b[31m"}) {
    forged.vocabulary.labels[0] = label;
    expect_refused(forged, {"a label holds a line break or another control byte"});
  }
}

TEST_F(ForgedModelTest, AnotherMethodThanTheWeightsAreOfIsRefused) {
  ModelData beam = model(Method::kCane, SelectorKind::kBeam);
  // The same parts: a hierarchical softmax is as large as the path sums of its tree.
  beam.config.method = Method::kSoftmax;
  expect_refused(beam, {"selector"});
  beam.config.select = SelectorKind::kAuto;
  expect_refused(beam, {"scorer"});
  beam.config.scorer = ScorerKind::kFlat;
  expect_refused(beam, {"weights"});
  beam.config.method = Method::kCane;
  beam.config.select = SelectorKind::kCentroid;
  expect_refused(beam, {"weights"});
  beam.config.scorer = ScorerKind::kPath;
  expect_refused(beam, {"scorer"});
}

TEST_F(ForgedModelTest, AFlatModelThatClaimsATreeIsRefused) {
  ModelData softmax = model(Method::kSoftmax);
  softmax.config.method = Method::kHsm;
  expect_refused(softmax, {"scorer"});
  softmax.config.scorer = ScorerKind::kPath;
  const std::string path = files_.folder().path("forged");
  write_model(path, softmax);
  EXPECT_THAT(testing::error_text([&] { Model::load(path); }), ::testing::HasSubstr("tree"));
}

TEST_F(ForgedModelTest, AProposalWithoutItsTensorsIsRefused) {
  for (const SelectorKind select : {SelectorKind::kNarrow, SelectorKind::kTree}) {
    ModelData forged = model(Method::kCane, select);
    ASSERT_EQ(forged.tables.size(), 3U);
    forged.tables.pop_back();
    forged.weights.pop_back();
    const std::string path = files_.folder().path("forged");
    write_model(path, forged);
    EXPECT_THAT(testing::error_text([&] { Model::load(path); }),
                ::testing::HasSubstr("proposal.weights"));
    forged.tables.pop_back();
    forged.weights.pop_back();
    write_model(path, forged);
    EXPECT_THAT(testing::error_text([&] { Model::load(path); }),
                ::testing::HasSubstr("proposal.projection"));
  }
}

TEST_F(ForgedModelTest, AProposalOfAnotherRankIsRefused) {
  ModelData forged = model(Method::kCane, SelectorKind::kNarrow);
  forged.config.rank = 20;
  expect_refused(forged, {"proposal.projection", "does not fit"});
  forged.config.rank = 7;  // the projection is as wide
  expect_refused(forged, {"proposal.weights", "does not fit"});
  for (const std::uint32_t rank : {0U, 65U, 4294967295U}) {
    forged.config.rank = rank;
    expect_refused(forged, {"rank"});
  }
}

TEST_F(ForgedModelTest, AFlatTableOfAnotherWidthIsRefused) {
  ModelData forged = model(Method::kSoftmax);
  ASSERT_EQ(forged.flat_width, kRowWidth);
  for (const std::uint32_t width : {0U, 7U, 64U, 4294967295U}) {
    forged.flat_width = width;
    expect_refused(forged, {"flat_width"});
  }
  forged.flat_width = kPanelWidth;
  expect_refused(forged, {"weights", "does not fit"});
}

TEST_F(ForgedModelTest, ACalibrationThatCannotBeIsRefused) {
  ModelData forged = model(Method::kSoftmax);
  const Calibration good = {
      .temperatures = {1.0F, 2.0F, 0.5F}, .probabilities = {0.5F, 0.75F}, .shares = {0.25F, 0.5F}};
  forged.calibration = good;
  const std::string path = files_.folder().path("calibrated");
  write_model(path, forged);
  EXPECT_EQ(Model::load(path).data().calibration.shares, good.shares);
  forged.calibration.temperatures.pop_back();
  expect_refused(forged, {"temperatures"});
  forged.calibration = good;
  forged.calibration.temperatures[0] = -1.0F;
  expect_refused(forged, {"temperatures"});
  forged.calibration = good;
  forged.calibration.shares[1] = 0.125F;
  expect_refused(forged, {"calibration"});
  forged.calibration = good;
  forged.calibration.shares.pop_back();
  expect_refused(forged, {"calibration"});
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
