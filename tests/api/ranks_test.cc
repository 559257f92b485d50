// Labels: threads
#include "cane/ranks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mutex>
#include <string>

#include "cane/predict.h"
#include "cane/train.h"
#include "support/temporary_folder.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

std::string make_text(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    // Some labels contradict their words, so that there are errors to count.
    const int label = i % 17 == 0 ? (i + 1) % 6 : i % 6;
    text += fmt::format("__label__{} w{} w{} all\n", label, i % 6, i % 5 + 10);
  }
  return text;
}

TEST(Ranks, AreOneWithoutALauncher) {
  const Ranks ranks;
  EXPECT_TRUE(ranks.is_alone());
  EXPECT_TRUE(ranks.is_first());
  EXPECT_EQ(ranks.gather("own"), std::vector<std::string>{"own"});
}

TEST(Ranks, EvaluateTheirPartsAsOneProcessDoesAll) {
  const testing::TemporaryFolder folder;
  const std::string train_path = folder.write("train.ft", make_text(120));
  const std::string test_path = folder.write("test.ft", make_text(600) + "__label__new w1\n");
  DataOptions options;
  options.use_cache = false;
  options.threads = 1;
  TrainConfig config;
  config.epochs = 2;
  config.threads = 1;
  const Model model = train(Dataset::load(train_path, options), config).model;
  EvaluateOptions measures;
  measures.threads = 1;
  measures.details = true;
  const Evaluation expected = evaluate(model, Dataset::load(test_path, model, options), measures);
  ASSERT_LT(expected.accuracy, 1.0);

  std::mutex mutex;
  run_ranks(3, [&](Communicator& communicator) {
    const Ranks ranks = ranks_of(communicator);
    const Dataset part = Dataset::load(test_path, model, options, ranks);
    const Evaluation found = evaluate(model, part, measures, ranks);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(found.accuracy, expected.accuracy);
    EXPECT_EQ(found.top, expected.top);
    EXPECT_EQ(found.examples, expected.examples);
    EXPECT_EQ(found.unseen_labels, 1U);
    EXPECT_EQ(found.coverage, expected.coverage);
    EXPECT_EQ(found.calibration_error, expected.calibration_error);
    EXPECT_EQ(found.macro_f1, expected.macro_f1);
    EXPECT_EQ(found.log_loss, expected.log_loss);
    EXPECT_EQ(found.details->confused.size(), expected.details->confused.size());
  });
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
