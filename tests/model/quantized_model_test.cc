// A quantized model whose parts do not fit together is refused, though its checksums are right.
#include "model/quantized_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "model/model_file.h"
#include "support/error_text.h"
#include "support/forgery.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::Forgery;
using testing::TrainingFiles;

class QuantizedModelTest : public ::testing::Test {
 protected:
  QuantizedModelTest() : model_(train(files_.train(), TrainingFiles::config()).model.data()) {}

  // Most of its weights are zero.
  ModelData sparse() const {
    const auto weights = float_weights(model_, kClassTable);
    auto kept = std::make_shared<AlignedBuffer<float>>(weights.size());
    for (std::size_t i = 0; i < weights.size(); i += 10) kept->data()[i] = weights[i];
    ModelData model = model_;
    model.weights[kClassTable] = WeightView(kept->data());
    model.storage = kept;
    return model;
  }
  std::string write(const ModelData& model, std::uint32_t bits) const {
    const std::string path = files_.folder().path("small");
    write_model(path, quantize_model(model, {bits}).model);
    return path;
  }
  std::string error_after(std::uint32_t bits, const std::function<void(Forgery&)>& change) const {
    return error_after(model_, bits, change);
  }
  std::string error_after(const ModelData& model, std::uint32_t bits,
                          const std::function<void(Forgery&)>& change) const {
    Forgery forgery{SafetensorsFile(write(model, bits))};
    change(forgery);
    const std::string path = files_.folder().path("forged");
    forgery.write(path);
    return testing::error_text([&] { read_model(SafetensorsFile(path)); });
  }

  TrainingFiles files_;
  ModelData model_;
};

TEST_F(QuantizedModelTest, IsReadAsItWasMade) {
  const auto expect_same = [&](const ModelData& model, std::uint32_t bits) {
    const ModelData made = quantize_model(model, {bits}).model;
    const std::string path = files_.folder().path("small");
    write_model(path, made);
    const ModelData read = read_model(SafetensorsFile(path));
    EXPECT_EQ(read.quantization.bits, bits);
    EXPECT_EQ(read.vocabulary.labels, made.vocabulary.labels);
    const BlockLayout& layout = made.tables[kClassTable].layout;
    for (NodeId block = 0; block < layout.node_bound(); ++block) {
      std::vector<float> left((layout.dimension() + 1) * layout.shape(block).stride);
      std::vector<float> right(left.size());
      made.weights[kClassTable].decode(layout, block, left.data());
      read.weights[kClassTable].decode(layout, block, right.data());
      ASSERT_EQ(left, right);
    }
  };
  expect_same(model_, 8);
  expect_same(model_, 16);
  expect_same(sparse(), 8);
}

TEST_F(QuantizedModelTest, OfVersion01MaySayThatWeightsWereDropped) {
  Forgery forgery{SafetensorsFile(write(model_, 8))};
  forgery.metadata[kQuantizedEntry] = R"({"bits":8,"drop":0.5})";
  const std::string path = files_.folder().path("dropped");
  forgery.write(path);
  EXPECT_EQ(read_model(SafetensorsFile(path)).quantization.bits, 8U);
}

TEST_F(QuantizedModelTest, LeavesOutZerosWhereThatPays) {
  const SafetensorsFile dense(write(model_, 8));
  EXPECT_TRUE(dense.has("weights"));
  EXPECT_FALSE(dense.has("weights.gaps"));
  const SafetensorsFile small(write(sparse(), 8));
  EXPECT_FALSE(small.has("weights"));
  EXPECT_LT(small.tensors().at("weights.values").bytes.size(),
            dense.tensors().at("weights").bytes.size());
}

TEST_F(QuantizedModelTest, RefusesScalesThatAreMissingOrNotNumbers) {
  EXPECT_THAT(error_after(8, [](Forgery& forgery) { forgery.tensors.erase("weights.scales"); }),
              ::testing::HasSubstr("'weights.scales' is missing"));
  for (const float value : {NAN, INFINITY, -1.0F}) {
    EXPECT_THAT(
        error_after(8,
                    [&](Forgery& forgery) { forgery.replace<float>("weights.scales", 2, value); }),
        ::testing::HasSubstr("weights.scales has values that cannot be"));
  }
  EXPECT_THAT(
      error_after(8, [](Forgery& forgery) { forgery.replace<float>("weights.biases", 0, NAN); }),
      ::testing::HasSubstr("weights.biases has values that cannot be"));
}

TEST_F(QuantizedModelTest, RefusesTablesOfOtherSizes) {
  for (const char* name : {"weights", "weights.scales", "weights.biases"}) {
    EXPECT_THAT(error_after(8,
                            [&](Forgery& forgery) {
                              auto& bytes = forgery.tensors.at(name).bytes;
                              bytes.resize(bytes.size() - 4);
                            }),
                ::testing::HasSubstr("does not fit the model"))
        << name;
  }
  for (const char* name : {"weights.gaps", "weights.values"}) {
    EXPECT_THAT(error_after(sparse(), 8,
                            [&](Forgery& forgery) {
                              auto& bytes = forgery.tensors.at(name).bytes;
                              bytes.resize(bytes.size() - 1);
                            }),
                ::testing::HasSubstr("does not fit the model"))
        << name;
  }
}

TEST_F(QuantizedModelTest, RefusesAnotherTypeThanItSays) {
  EXPECT_THAT(
      error_after(16,
                  [](Forgery& forgery) { forgery.metadata[kQuantizedEntry] = R"({"bits":8})"; }),
      ::testing::HasSubstr("weights"));
  EXPECT_THAT(
      error_after(8, [](Forgery& forgery) { forgery.metadata[kQuantizedEntry] = R"({"bits":4})"; }),
      ::testing::HasSubstr("its weights have 4 bits"));
  EXPECT_THAT(error_after(8, [](Forgery& forgery) { forgery.metadata.erase(kQuantizedEntry); }),
              ::testing::HasSubstr("is missing"));
}

TEST_F(QuantizedModelTest, RefusesWeightsThatAreNotNumbers) {
  EXPECT_THAT(
      error_after(16,
                  [](Forgery& forgery) { forgery.replace<std::uint16_t>("weights", 5, 0x7E00U); }),
      ::testing::HasSubstr("weights has values that cannot be"));
}

TEST_F(QuantizedModelTest, RefusesLabelsThatCannotBeUnpacked) {
  EXPECT_THAT(
      error_after(8,
                  [](Forgery& forgery) { forgery.replace<std::uint8_t>("labels.packed", 0, 1); }),
      ::testing::HasSubstr("labels.packed"));
  EXPECT_THAT(
      error_after(8,
                  [](Forgery& forgery) { forgery.replace<std::uint64_t>("labels.count", 0, 19); }),
      ::testing::HasSubstr("labels"));
  EXPECT_THAT(error_after(8,
                          [](Forgery& forgery) {
                            forgery.replace<std::uint64_t>("labels.count", 0,
                                                           std::uint64_t{1} << 60);
                          }),
              ::testing::HasSubstr("labels.count does not fit"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
