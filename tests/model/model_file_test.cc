// A model whose parts do not fit together is refused, though its checksums are right.
#include "model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/loaded_data.h"
#include "support/error_text.h"
#include "support/forgery.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

class ModelFileTest : public ::testing::Test {
 protected:
  ModelFileTest() : model_(train(files_.train(), TrainingFiles::config()).model.data()) {}

  std::string reading_error(const ModelData& model) const {
    const std::string path = files_.folder().path("forged");
    write_model(path, model);
    return testing::error_text([&] { read_model(SafetensorsFile(path)); });
  }

  using TrainingFiles = testing::TrainingFiles;
  TrainingFiles files_;
  ModelData model_;
};

TEST_F(ModelFileTest, KeepsTheTrainingExamplesOfEachClass) {
  const std::string path = files_.folder().path("model");
  write_model(path, model_);
  const ModelData read = read_model(SafetensorsFile(path));
  EXPECT_EQ(read.class_counts, model_.class_counts);
  std::vector<std::uint64_t> counts(20, 0);
  const Dataset data = files_.train();
  for (std::size_t e = 0; e < data.size(); ++e) ++counts[data.data().view.label(e)];
  EXPECT_EQ(read.class_counts, counts);
}

TEST_F(ModelFileTest, RefusesClassCountsThatDoNotFit) {
  ModelData model = model_;
  model.class_counts.push_back(0);
  EXPECT_THAT(reading_error(model), ::testing::HasSubstr("does not fit the labels"));
  model = model_;
  ++model.class_counts[3];
  EXPECT_THAT(reading_error(model), ::testing::HasSubstr("does not add up"));
  model = model_;
  --model.class_counts[3];
  EXPECT_THAT(reading_error(model), ::testing::HasSubstr("does not add up"));
  model = model_;
  // The sum overflows to the right number.
  model.class_counts[0] += std::uint64_t{1} << 63;
  model.class_counts[1] += std::uint64_t{1} << 63;
  EXPECT_THAT(reading_error(model), ::testing::HasSubstr("does not add up"));
}

TEST_F(ModelFileTest, SendsLanguageModelsToTheirProgram) {
  const std::string path = files_.folder().path("lm");
  write_safetensors(path, {}, {{"cane.format_version", "lm 2"}, {"cane.writer", "cane-lm 0.2.0"}});
  EXPECT_THAT(testing::error_text([&] { Model::load(path); }),
              ::testing::HasSubstr("it is a model of `cane-lm train`; use `cane-lm` for it"));
}

TEST_F(ModelFileTest, NamesTheVersionsWhenTheyDiffer) {
  const std::string path = files_.folder().path("old");
  write_safetensors(path, {}, {{"cane.format_version", "1"}, {"cane.writer", "cane 0.0.9"}});
  const std::string message = testing::error_text([&] { read_model(SafetensorsFile(path)); });
  EXPECT_THAT(message, ::testing::HasSubstr("format version 1"));
  EXPECT_THAT(message, ::testing::HasSubstr("cane 0.0.9"));
}

TEST_F(ModelFileTest, NamesTheWriterWhereItDoesNotKnowAValue) {
  const std::string path = files_.folder().path("model");
  write_model(path, model_);
  for (const char* field : {"kind", "normalize"}) {
    testing::Forgery forgery{SafetensorsFile(path)};
    nlohmann::json features = nlohmann::json::parse(forgery.metadata.at("cane.features"));
    features[field] = "later";
    forgery.metadata["cane.features"] = features.dump();
    forgery.metadata["cane.writer"] = "cane 7.1";
    const std::string forged = files_.folder().path("forged");
    forgery.write(forged);
    EXPECT_EQ(testing::error_text([&] { read_model(SafetensorsFile(forged)); }),
              forged + ": its " + field +
                  " is 'later', which this program does not know; use cane 7.1 or a later version, "
                  "or train again");
  }
}

TEST_F(ModelFileTest, HasNoEntryAboutQuantizationWhereNothingIsQuantized) {
  const std::string path = files_.folder().path("model");
  write_model(path, model_);
  EXPECT_FALSE(SafetensorsFile(path).metadata().contains(kQuantizedEntry));
}

// Kernels read the weights where they are mapped.
TEST_F(ModelFileTest, BeginsTheTablesAtTheirAlignment) {
  const std::string path = files_.folder().path("model");
  write_model(path, model_);
  const ModelData read = read_model(SafetensorsFile(path));
  for (std::size_t table = 0; table < read.tables.size(); ++table) {
    const auto address = reinterpret_cast<std::uintptr_t>(read.weights[table].floats());
    EXPECT_EQ(address % (table == 0 ? 64 : kTableAlignment), 0U) << read.tables[table].name;
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
