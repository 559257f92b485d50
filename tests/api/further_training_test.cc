// Labels: threads
// Further training of a finished model, for every method: what it knew it still knows, and labels
// that are new become classes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "cane/cane.h"
#include "engine/continue_training.h"
#include "methods/selector_table.h"
#include "support/error_text.h"
#include "support/method_rows.h"
#include "support/stop_after.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::MethodRow;
using testing::short_training;
using testing::StopAfter;
using testing::TrainingFiles;

constexpr std::size_t kNew = 3;

// The training data without its last classes: what the first training sees.
class GrowingFiles {
 public:
  GrowingFiles() {
    divide(files_.folder().path("train.svm"), "first.svm", "new.svm");
    divide(files_.test_path(), "test-first.svm", "test-new.svm");
  }

  Dataset first() const { return Dataset::load(path("first.svm"), files_.options()); }
  Dataset only_new(const Model& model) const {
    DataOptions options = files_.options();
    options.add_labels = true;
    return Dataset::load(path("new.svm"), model, options);
  }
  double accuracy(const Model& model, const char* test) const {
    return evaluate(model, Dataset::load(path(test), model, files_.options())).accuracy;
  }
  Dataset all(const Model& model) const {
    DataOptions options = files_.options();
    options.add_labels = true;
    return Dataset::load(files_.folder().path("train.svm"), model, options);
  }
  Dataset test(const Model& model) const {
    return Dataset::load(files_.test_path(), model, files_.options());
  }
  std::string path(const char* name) const { return files_.folder().path(name); }

 private:
  void divide(const std::string& whole, const char* first, const char* rest) {
    std::ifstream lines(whole);
    std::string parts[2];
    for (std::string line; std::getline(lines, line);) parts[line >= "class-17"] += line + '\n';
    files_.folder().write(first, parts[0]);
    files_.folder().write(rest, parts[1]);
  }

  TrainingFiles files_;
};

const GrowingFiles& files() {
  static const GrowingFiles files;
  return files;
}

TrainConfig config_of(const Model& model) {
  TrainConfig config = model.config();
  config.threads = 2;
  return config;
}

std::vector<std::uint32_t> best_classes(const Model& model, const Dataset& data) {
  std::vector<std::uint32_t> best;
  Predictor(model, {}).predict(data, [&](std::size_t, std::span<const Prediction> classes) {
    best.push_back(classes.front().class_id);
  });
  return best;
}

class FurtherTrainingThreads : public ::testing::TestWithParam<MethodRow> {};

TEST_P(FurtherTrainingThreads, LearnsNewLabelsAndForgetsNothing) {
  const Model first = train(files().first(), short_training(GetParam())).model;
  const Dataset all = files().all(first);
  ASSERT_EQ(all.classes(), first.classes() + kNew);
  if (GetParam().is_online_tree()) {
    EXPECT_THAT(error_text([&] { continue_training(first, all, config_of(first)); }),
                ::testing::HasSubstr("cannot go on from a finished model"));
    return;
  }
  const Model model = continue_training(first, all, config_of(first)).model;
  EXPECT_EQ(model.labels(), all.labels());
  EXPECT_GE(evaluate(model, files().test(model)).accuracy, GetParam().accuracy - 0.1);
}

TEST_P(FurtherTrainingThreads, NewClassesAloneDoNotMakeItForgetTheOthers) {
  if (GetParam().is_online_tree()) GTEST_SKIP() << "does not apply";
  TrainConfig config = short_training(GetParam());
  config.epochs = 10;
  for (const std::uint32_t memory : {TrainConfig::kAutoMemory, 0U}) {
    config.memory = memory;
    const Model first = train(files().first(), config).model;
    EXPECT_EQ(first.data().kept.labels.empty(), memory == 0);
    const TrainResult grown = continue_training(first, files().only_new(first), config_of(first));
    EXPECT_EQ(grown.old_classes.has_value(), memory > 0);
    // Without kept examples only most of it is remembered.
    const double before = files().accuracy(first, "test-first.svm");
    const double least = memory == 0 ? 0.55 * before : before - 0.03;
    EXPECT_GE(files().accuracy(grown.model, "test-first.svm"), least) << memory;
    EXPECT_GE(files().accuracy(grown.model, "test-new.svm"), GetParam().accuracy - 0.15) << memory;
  }
}

TEST_P(FurtherTrainingThreads, BeginsWithWhatTheModelSaid) {
  const MethodRow& row = GetParam();
  // A hierarchical softmax divides what its neighbour had; an index is built anew.
  const bool divides = row.config.method == Method::kHsm ||
                       row.config.select == SelectorKind::kHsm ||
                       row_of(row.config.select).indexes_tree;
  if (row.is_online_tree() || divides) GTEST_SKIP() << "does not apply";
  const Model first = train(files().first(), short_training(row)).model;
  ThreadPool pool(2);
  const Dataset all = files().all(first);
  Checkpoint run = continue_from(first, all, all, config_of(first), false, pool);
  run.model.weights = views_of(run.state.weights);
  const Model grown(std::make_shared<const ModelData>(run.model));
  const Dataset test = files().test(first);
  const auto before = best_classes(first, test);
  const auto after = best_classes(grown, test);
  std::map<std::uint32_t, std::uint32_t> copied;  // new class -> the one it begins as
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (after[i] < first.classes()) {
      EXPECT_EQ(after[i], before[i]) << i;
    } else {
      EXPECT_EQ(copied.emplace(after[i], before[i]).first->second, before[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FurtherTrainingThreads, ::testing::ValuesIn(testing::method_rows()),
                         testing::RowName{});

TEST(FurtherTraining, CanBeInterruptedAndResumed) {
  const Model first = train(files().first(), TrainingFiles::config()).model;
  const Dataset all = files().all(first);
  TrainConfig config = config_of(first);
  const Model whole = continue_training(first, all, config).model;
  config.checkpoint_path = files().path("further.checkpoint");
  StopAfter stop(3);
  EXPECT_TRUE(continue_training(first, all, config, &stop).interrupted);
  ASSERT_TRUE(is_continued_training(config.checkpoint_path));
  config.resume = true;
  const Model half = Model::load(config.checkpoint_path);
  const Dataset again = files().all(half);
  ASSERT_EQ(again.labels(), all.labels());
  const Model resumed = train(again, config).model;
  const auto a = float_weights(whole.data(), 0);
  const auto b = float_weights(resumed.data(), 0);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST(FurtherTraining, RemembersOldClassesAfterAPauseAsWithoutOne) {
  train(files().first(), TrainingFiles::config()).model.save(files().path("first.model"));
  const Model first = Model::load(files().path("first.model"));
  EXPECT_GT(first.data().kept.size(), 0U);
  const Dataset fresh = files().only_new(first);
  TrainConfig config = config_of(first);
  const TrainResult whole = continue_training(first, fresh, config);
  config.checkpoint_path = files().path("new.checkpoint");
  StopAfter stop(3);
  EXPECT_TRUE(continue_training(first, fresh, config, &stop).interrupted);
  config.resume = true;
  const TrainResult resumed = train(files().only_new(Model::load(config.checkpoint_path)), config);
  ASSERT_TRUE(whole.old_classes && resumed.old_classes);
  EXPECT_EQ(resumed.old_classes->before, whole.old_classes->before);
  EXPECT_EQ(resumed.old_classes->after, whole.old_classes->after);
  const auto a = float_weights(whole.model.data(), 0);
  const auto b = float_weights(resumed.model.data(), 0);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

TEST(FurtherTraining, RefusesDataThatWasNotReadThroughTheModelAndOtherOptions) {
  const Model first = train(files().first(), TrainingFiles::config()).model;
  DataOptions options;
  options.use_cache = false;
  options.normalize = Normalize::kL2;
  const Dataset fresh = Dataset::load(files().path("train.svm"), options);
  EXPECT_THAT(error_text([&] { continue_training(first, fresh, config_of(first)); }),
              ::testing::HasSubstr("not read through the model"));
  TrainConfig config = config_of(first);
  config.arity = 8;
  EXPECT_THAT(error_text([&] { continue_training(first, files().all(first), config); }),
              ::testing::HasSubstr("`arity`"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
