// Examples in memory: the same datasets and answers as from files.
#include "cane/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

DataOptions uncached() {
  DataOptions options;
  options.use_cache = false;
  return options;
}

TEST(ExamplesTest, DenseRowsAreNotCopied) {
  const Blobs blobs(40);
  const Dataset data = Dataset::load(blobs.dense());
  EXPECT_EQ(data.size(), 40U);
  EXPECT_EQ(data.dimension(), kColumns);
  EXPECT_EQ(data.labels(), blobs.labels);
  EXPECT_EQ(static_cast<const void*>(data.data().view.dense().matrix), blobs.values.data());
  EXPECT_TRUE(std::ranges::equal(data.class_ids(), blobs.classes));
}

TEST(ExamplesTest, SparseRowsAreCopiedOnlyToBeWeighted) {
  const Blobs blobs(40);
  EXPECT_EQ(Dataset::load(blobs.sparse()).data().view.sparse().values, blobs.values.data());
  DataOptions options;
  options.normalize = Normalize::kL2;
  const Dataset scaled = Dataset::load(blobs.sparse(), options);
  const float* const row = scaled.data().view.sparse().values;
  EXPECT_NEAR(std::inner_product(row, row + kColumns, row, 0.0F), 1.0F, 1e-5F);
}

TEST(ExamplesTest, TheOwnerIsKeptAsLongAsTheData) {
  auto blobs = std::make_shared<Blobs>(40);
  Examples examples = blobs->dense();
  examples.owner = blobs;
  {
    const Dataset data = Dataset::load(examples);
    examples = {};
    EXPECT_EQ(blobs.use_count(), 2);
    const Dataset part = data.canonical();
    EXPECT_EQ(part.size(), 40U);
  }
  EXPECT_EQ(blobs.use_count(), 1);
}

TEST(ExamplesTest, AMatrixTrainsTheSameModelAsItsFile) {
  const Blobs blobs(600);
  const testing::TemporaryFolder folder;
  export_examples(Dataset::load(blobs.dense()), folder.path("data.svm"), Format::kSvm);
  const Model from_file = train(Dataset::load(folder.path("data.svm"), uncached()), quick()).model;
  const Model from_memory = train(Dataset::load(blobs.dense()), quick()).model;
  EXPECT_EQ(from_file.labels(), from_memory.labels());
  EXPECT_EQ(answers(from_file, blobs.dense(), 3), answers(from_memory, blobs.dense(), 3));
}

TEST(ExamplesTest, AnswersAreThoseOfADataset) {
  const Blobs blobs(700);
  const Model model = train(Dataset::load(blobs.dense()), quick()).model;
  const Dataset data = Dataset::load(blobs.dense(), model);
  PredictOptions options;
  options.top_k = 4;
  const Predictor predictor(model, options);
  std::vector<std::uint32_t> classes(700 * 4);
  std::vector<float> scores(classes.size());
  std::vector<float> probabilities(classes.size());
  predictor.predict(blobs.dense(), {classes.data(), scores.data(), probabilities.data()});
  predictor.predict(data, [&](std::size_t example, std::span<const Prediction> best) {
    for (std::size_t place = 0; place < best.size(); ++place) {
      EXPECT_EQ(classes[example * 4 + place], best[place].class_id);
      EXPECT_EQ(scores[example * 4 + place], best[place].score);
      EXPECT_EQ(probabilities[example * 4 + place], best[place].probability);
    }
  });
  std::vector<std::uint32_t> of_dataset(classes.size());
  predictor.predict(data, {of_dataset.data()});
  EXPECT_EQ(of_dataset, classes);
  EXPECT_EQ(answers(model, blobs.sparse(), 4), classes);
}

TEST(ExamplesTest, PlacesWithoutAnAnswerAreMarked) {
  const Blobs blobs(200);
  const Model model = train(Dataset::load(blobs.dense()), quick()).model;
  PredictOptions options;
  options.top_k = kClasses + 3;
  std::vector<std::uint32_t> classes(200 * options.top_k);
  std::vector<float> scores(classes.size());
  Predictor(model, options).predict(blobs.dense(), {classes.data(), scores.data()});
  EXPECT_NE(classes[kClasses - 1], kRejectedClass);
  EXPECT_EQ(classes[kClasses], kRejectedClass);
  EXPECT_EQ(scores[kClasses], -std::numeric_limits<float>::infinity());
}

TEST(ExamplesTest, TextsAreTakenAsTheyAre) {
  const std::vector<std::string_view> texts = {"red apple", "green pear", "", "red\nberry",
                                               "__label__b green"};
  const std::vector<std::uint32_t> classes = {0, 1, 2, 0, 1};
  Examples examples;
  examples.features = Texts{texts};
  examples.classes = classes;
  examples.labels = {"a b", "b", "nothing"};
  const Dataset data = Dataset::load(examples);
  ASSERT_EQ(data.size(), 5U);
  EXPECT_EQ(data.report().empty_examples, 1U);
  EXPECT_EQ(data.dimension(), 6U);  // red apple green pear berry __label__b
  TrainConfig config = quick();
  config.epochs = 20;
  const Model model = train(data, config).model;
  EXPECT_TRUE(model.takes_text());
  EXPECT_EQ(answers(model, examples), classes);
}

TEST(ExamplesTest, TextsReadLikeTheLinesOfAFile) {
  std::vector<std::string> lines;
  std::string file;
  std::vector<std::uint32_t> classes;
  for (std::uint32_t i = 0; i < 600; ++i) {
    classes.push_back(i % 3);
    lines.push_back("Word" + std::to_string(i % 3) + " and word" + std::to_string(i % 7) + "!");
    file += "__label__" + std::to_string(i % 3) + " " + lines.back() + "\n";
  }
  const testing::TemporaryFolder folder;
  folder.write("data.ft", file);
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  Examples examples;
  examples.features = Texts{views};
  examples.classes = classes;
  examples.labels = {"0", "1", "2"};
  DataOptions options = uncached();
  options.tokenizer = TokenizerKind::kWords;
  options.weights = FeatureWeights::kTfidf;
  options.word_ngrams = 2;
  options.char_ngrams = {3, 4};
  const Dataset from_file = Dataset::load(folder.path("data.ft"), options);
  const Dataset from_memory = Dataset::load(examples, options);
  EXPECT_EQ(from_file.data().vocabulary, from_memory.data().vocabulary);
  const auto& expected = from_file.data().view.sparse();
  const auto& found = from_memory.data().view.sparse();
  ASSERT_TRUE(std::ranges::equal(expected.offsets, found.offsets));
  EXPECT_TRUE(std::equal(expected.values, expected.values + expected.offsets.back(), found.values));

  const DataOptions chosen = choose_features(examples, {}, quick());
  const DataOptions chosen_of_file = choose_features(folder.path("data.ft"), {}, quick());
  EXPECT_EQ(chosen.tokenizer, chosen_of_file.tokenizer);
  EXPECT_EQ(chosen.weights, chosen_of_file.weights);
  EXPECT_EQ(chosen.word_ngrams, chosen_of_file.word_ngrams);
}

TEST(ExamplesTest, BadExamplesAreRefusedWithTheirPlace) {
  Blobs blobs(40);
  const auto load = [&] { Dataset::load(blobs.dense()); };
  blobs.values[kColumns + 2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(load(), NonFiniteError);
  EXPECT_THAT(error_text(load), HasSubstr("row 1, column 2"));
  EXPECT_THROW(Dataset::load(blobs.sparse()), NonFiniteError);
  blobs.values[kColumns + 2] = 0.0F;

  std::swap(blobs.indices[0], blobs.indices[1]);
  EXPECT_THAT(error_text([&] { Dataset::load(blobs.sparse()); }), HasSubstr("do not increase"));
  const std::uint64_t end = std::exchange(blobs.offsets.back(), 1000000);
  EXPECT_THAT(error_text([&] { choose_features(blobs.sparse(), {}, quick()); }),
              HasSubstr("do not fit together"));
  blobs.offsets.back() = end;
  blobs.labels[1] = blobs.labels[0];
  EXPECT_THAT(error_text(load), HasSubstr("twice"));
  blobs.labels.resize(1);
  EXPECT_THAT(error_text(load), HasSubstr("labels"));
  Examples unlabelled = blobs.dense();
  unlabelled.classes = {};
  EXPECT_THAT(error_text([&] { Dataset::load(unlabelled); }), HasSubstr("no labels"));
}

TEST(ExamplesTest, ShapesAreComparedWithTheModel) {
  const Blobs blobs(200);
  const Model model = train(Dataset::load(blobs.dense()), quick()).model;
  Examples narrow = blobs.dense();
  narrow.features = DenseRows{blobs.values.data(), 10, kColumns - 1};
  EXPECT_THAT(error_text([&] { answers(model, narrow); }), HasSubstr("5 columns"));
  const std::vector<std::string_view> texts = {"a text"};
  Examples words;
  words.features = Texts{texts};
  EXPECT_THAT(error_text([&] { answers(model, words); }), HasSubstr("trained on indices"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
