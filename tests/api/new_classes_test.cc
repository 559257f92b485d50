// Classes that examples in memory name but do not have, and classes that a model learns later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cane/cane.h"
#include "support/blobs.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::answers;
using testing::Blobs;
using testing::quick;

constexpr std::size_t kClasses = Blobs::kClasses;

TEST(NewClassesTest, ClassesMayBeWithoutExamplesAndNewOnesMayCome) {
  Blobs blobs(400);
  blobs.labels.emplace_back("none of these");
  TrainConfig config = quick();
  config.memory = 0;  // the same rows have another label later
  const Model model = train(Dataset::load(blobs.dense()), config).model;
  EXPECT_EQ(model.classes(), kClasses + 1);
  EXPECT_EQ(model.class_counts().back(), 0U);

  Examples more = blobs.dense();
  const std::vector<std::uint32_t> one(400, 1);
  more.classes = one;
  more.labels = {"unused", "new"};
  EXPECT_EQ(Dataset::load(more, model).report().unseen_labels, 400U);
  DataOptions options;
  options.add_labels = true;
  const Dataset added = Dataset::load(more, model, options);
  EXPECT_EQ(added.labels().back(), "new");
  const Model grown = continue_training(model, added, config).model;
  EXPECT_THAT(answers(grown, more), ::testing::Contains(kClasses + 2));
}

TEST(NewClassesTest, NewClassesMayBeWithoutExamples) {
  const Blobs blobs(400);
  for (const Method method : {Method::kSoftmax, Method::kCane, Method::kHsm}) {
    TrainConfig config = quick();
    config.method = method;
    const Model model = train(Dataset::load(blobs.dense()), config).model;
    Examples more = blobs.dense();
    more.labels.emplace_back("with none");
    more.labels.emplace_back("with none either");
    DataOptions options;
    options.add_labels = true;
    config.method = Method::kAuto;
    const Model grown = continue_training(model, Dataset::load(more, model, options), config).model;
    EXPECT_EQ(grown.classes(), kClasses + 2);
    EXPECT_EQ(grown.class_counts().back(), 0U);
  }
}

TEST(NewClassesTest, AModelOfTwoClassesLearnsMore) {
  const Blobs blobs(400);
  std::vector<std::uint32_t> halves(400);
  std::ranges::transform(blobs.classes, halves.begin(), [](std::uint32_t k) { return k % 2; });
  TrainConfig config = quick();
  config.method = Method::kSoftmax;
  Examples few = blobs.dense();
  few.classes = halves;
  few.labels = {"0", "1"};
  const Model model = train(Dataset::load(few), config).model;
  DataOptions options;
  options.add_labels = true;
  const Model grown =
      continue_training(model, Dataset::load(blobs.dense(), model, options), config).model;
  EXPECT_EQ(grown.classes(), kClasses);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
