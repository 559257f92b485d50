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

  // Drops most of the weights.
  Quantization sparse() const {
    const auto weights = float_weights(model_, kClassTable);
    std::vector<float> sizes;
    for (const float weight : weights) sizes.push_back(std::abs(weight));
    std::sort(sizes.begin(), sizes.end());
    return {8, sizes[sizes.size() * 9 / 10]};
  }
  std::string write(const Quantization& quantization) const {
    const std::string path = files_.folder().path("small");
    write_model(path, quantize_model(model_, quantization).model);
    return path;
  }
  std::string error_after(const Quantization& quantization,
                          const std::function<void(Forgery&)>& change) const {
    Forgery forgery{SafetensorsFile(write(quantization))};
    change(forgery);
    const std::string path = files_.folder().path("forged");
    forgery.write(path);
    return testing::error_text([&] { read_model(SafetensorsFile(path)); });
  }

  TrainingFiles files_;
  ModelData model_;
};

TEST_F(QuantizedModelTest, IsReadAsItWasMade) {
  for (const Quantization& quantization :
       {Quantization{8, 0.0F}, Quantization{16, 0.0F}, sparse()}) {
    const ModelData made = quantize_model(model_, quantization).model;
    const std::string path = files_.folder().path("small");
    write_model(path, made);
    const ModelData read = read_model(SafetensorsFile(path));
    EXPECT_EQ(read.quantization.bits, quantization.bits);
    EXPECT_EQ(read.quantization.drop, quantization.drop);
    EXPECT_EQ(read.vocabulary.labels, made.vocabulary.labels);
    const BlockLayout& layout = made.tables[kClassTable].layout;
    for (NodeId block = 0; block < layout.node_bound(); ++block) {
      std::vector<float> left((layout.dimension() + 1) * layout.shape(block).stride);
      std::vector<float> right(left.size());
      made.weights[kClassTable].decode(layout, block, left.data());
      read.weights[kClassTable].decode(layout, block, right.data());
      ASSERT_EQ(left, right);
    }
  }
}

TEST_F(QuantizedModelTest, LeavesOutZerosWhereThatPays) {
  const SafetensorsFile dense(write({8, 0.0F}));
  EXPECT_TRUE(dense.has("weights"));
  EXPECT_FALSE(dense.has("weights.gaps"));
  const SafetensorsFile small(write(sparse()));
  EXPECT_FALSE(small.has("weights"));
  EXPECT_LT(small.tensors().at("weights.values").bytes.size(),
            dense.tensors().at("weights").bytes.size());
}

TEST_F(QuantizedModelTest, RefusesScalesThatAreMissingOrNotNumbers) {
  const Quantization bytes = {8, 0.0F};
  EXPECT_THAT(error_after(bytes, [](Forgery& forgery) { forgery.tensors.erase("weights.scales"); }),
              ::testing::HasSubstr("'weights.scales' is missing"));
  for (const float value : {NAN, INFINITY, -1.0F}) {
    EXPECT_THAT(
        error_after(bytes,
                    [&](Forgery& forgery) { forgery.replace<float>("weights.scales", 2, value); }),
        ::testing::HasSubstr("weights.scales has values that cannot be"));
  }
  EXPECT_THAT(
      error_after(bytes,
                  [](Forgery& forgery) { forgery.replace<float>("weights.biases", 0, NAN); }),
      ::testing::HasSubstr("weights.biases has values that cannot be"));
}

TEST_F(QuantizedModelTest, RefusesTablesOfOtherSizes) {
  for (const char* name : {"weights", "weights.scales", "weights.biases"}) {
    EXPECT_THAT(error_after({8, 0.0F},
                            [&](Forgery& forgery) {
                              auto& bytes = forgery.tensors.at(name).bytes;
                              bytes.resize(bytes.size() - 4);
                            }),
                ::testing::HasSubstr("does not fit the model"))
        << name;
  }
  for (const char* name : {"weights.gaps", "weights.values"}) {
    EXPECT_THAT(error_after(sparse(),
                            [&](Forgery& forgery) {
                              auto& bytes = forgery.tensors.at(name).bytes;
                              bytes.resize(bytes.size() - 1);
                            }),
                ::testing::HasSubstr("does not fit the model"))
        << name;
  }
}

TEST_F(QuantizedModelTest, RefusesAnotherTypeThanItSays) {
  EXPECT_THAT(error_after({16, 0.0F},
                          [](Forgery& forgery) {
                            forgery.metadata[kQuantizedEntry] = R"({"bits":8,"drop":0.0})";
                          }),
              ::testing::HasSubstr("weights"));
  EXPECT_THAT(error_after({8, 0.0F},
                          [](Forgery& forgery) {
                            forgery.metadata[kQuantizedEntry] = R"({"bits":4,"drop":0.0})";
                          }),
              ::testing::HasSubstr("its weights have 4 bits"));
  EXPECT_THAT(
      error_after({8, 0.0F}, [](Forgery& forgery) { forgery.metadata.erase(kQuantizedEntry); }),
      ::testing::HasSubstr("is missing"));
}

TEST_F(QuantizedModelTest, RefusesWeightsThatAreNotNumbers) {
  EXPECT_THAT(
      error_after({16, 0.0F},
                  [](Forgery& forgery) { forgery.replace<std::uint16_t>("weights", 5, 0x7E00U); }),
      ::testing::HasSubstr("weights has values that cannot be"));
}

TEST_F(QuantizedModelTest, RefusesLabelsThatCannotBeUnpacked) {
  EXPECT_THAT(
      error_after({8, 0.0F},
                  [](Forgery& forgery) { forgery.replace<std::uint8_t>("labels.packed", 0, 1); }),
      ::testing::HasSubstr("labels.packed"));
  EXPECT_THAT(
      error_after({8, 0.0F},
                  [](Forgery& forgery) { forgery.replace<std::uint64_t>("labels.count", 0, 19); }),
      ::testing::HasSubstr("labels"));
  EXPECT_THAT(error_after({8, 0.0F},
                          [](Forgery& forgery) {
                            forgery.replace<std::uint64_t>("labels.count", 0,
                                                           std::uint64_t{1} << 60);
                          }),
              ::testing::HasSubstr("labels.count does not fit"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
