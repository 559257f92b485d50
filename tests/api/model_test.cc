#include "cane/model.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "support/error_text.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::TrainingFiles;

std::vector<Prediction> all_predictions(const Model& model, const Dataset& data) {
  PredictOptions options;
  options.top_k = 3;
  options.threads = 1;
  std::vector<Prediction> all;
  Predictor(model, options).predict(data, [&](std::size_t, std::span<const Prediction> best) {
    all.insert(all.end(), best.begin(), best.end());
  });
  return all;
}

TEST(Model, PredictsTheSameBitsAfterSavingAndLoading) {
  const TrainingFiles files;
  const Dataset test = files.test();
  const Model model = train(files.train(), TrainingFiles::config()).model;
  const std::string path = files.folder().path("model");
  model.save(path);
  const Model loaded = Model::load(path);
  EXPECT_EQ(loaded.labels(), model.labels());
  EXPECT_EQ(loaded.config().lr, model.config().lr);
  EXPECT_EQ(loaded.config().tree, model.config().tree);
  const auto before = all_predictions(model, test);
  const auto after =
      all_predictions(loaded, Dataset::load(files.test_path(), loaded, files.options()));
  ASSERT_EQ(before.size(), after.size());
  ASSERT_EQ(before.size(), 3 * test.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].class_id, after[i].class_id);
    EXPECT_EQ(before[i].score, after[i].score);
    EXPECT_EQ(before[i].probability, after[i].probability);
  }
}

TEST(Model, RefusesAFileWithAnyByteFlippedOrCutOffAnywhere) {
  const TrainingFiles files;
  const std::string path = files.folder().path("model");
  train(files.train(), TrainingFiles::config()).model.save(path);
  const std::string good = testing::TemporaryFolder::read(path);
  const CounterRandom random(11, RandomPurpose::kSynthetic);
  for (std::uint32_t flip = 0; flip < 1000; ++flip) {
    std::string damaged = good;
    const std::size_t place = random.below(good.size(), flip, 0);
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << random.below(8, flip, 1)));
    files.folder().write("damaged", damaged);
    const std::string message = error_text([&] { Model::load(files.folder().path("damaged")); });
    ASSERT_THAT(message, ::testing::HasSubstr("damaged")) << "byte " << place << ": " << message;
  }
  for (std::uint32_t cut = 0; cut < 200; ++cut) {
    files.folder().write("damaged", good.substr(0, random.below(good.size(), cut, 2)));
    error_text([&] { Model::load(files.folder().path("damaged")); });
  }
  files.folder().write("damaged", good + "x");
  error_text([&] { Model::load(files.folder().path("damaged")); });
  EXPECT_NO_THROW(Model::load(path));
}

TEST(Model, DescribesItself) {
  const TrainingFiles files;
  const Model model = train(files.train(), TrainingFiles::config()).model;
  std::string text;
  for (const auto& [name, value] : model.description()) text += name + "=" + value + "\n";
  EXPECT_THAT(text, ::testing::HasSubstr("classes=20\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("training examples=400\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("epochs trained=4\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("\"candidates\":5"));
}

TEST(Model, TellsTheSizesOfItsClasses) {
  const TrainingFiles files;
  std::string lines;
  for (const auto& [label, count] : {std::pair{"a", 6}, {"b", 1}, {"c", 3}, {"d", 2}}) {
    for (int i = 0; i < count; ++i) lines += fmt::format("{} {}:1\n", label, i + 1);
  }
  const Dataset data = Dataset::load(files.folder().write("sizes.svm", lines), files.options());
  std::map<std::string, std::string> found;
  for (const auto& row : train(data, TrainingFiles::config()).model.description()) {
    found.insert(row);
  }
  EXPECT_EQ(found["smallest class"], "1");
  EXPECT_EQ(found["median class"], "2.5");
  EXPECT_EQ(found["largest class"], "6");
}

TEST(Model, NamesAFileThatIsNotThere) {
  EXPECT_THAT(error_text([] { Model::load("/nowhere/model"); }),
              ::testing::HasSubstr("/nowhere/model"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
