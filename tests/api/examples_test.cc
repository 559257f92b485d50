// Examples in memory: the same datasets, models and answers as from files.
#include "cane/examples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cane/cane.h"
#include "data/loaded_data.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::ElementsAre;
using testing::error_text;
using ::testing::HasSubstr;

constexpr std::size_t kClasses = 12;
constexpr std::size_t kColumns = 6;

/// Rows around the centres of their classes, with their owners.
struct Blobs {
  explicit Blobs(std::size_t rows) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    std::vector<float> centres(kClasses * kColumns);
    for (float& value : centres) value = 3.0F * normal(random);
    for (std::size_t row = 0; row < rows; ++row) {
      classes.push_back(static_cast<std::uint32_t>(random() % kClasses));
      for (std::size_t column = 0; column < kColumns; ++column) {
        values.push_back(centres[classes.back() * kColumns + column] + normal(random));
      }
    }
    for (std::size_t label = 0; label < kClasses; ++label) labels.push_back(std::to_string(label));
    offsets.push_back(0);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::uint32_t column = 0; column < kColumns; ++column) indices.push_back(column);
      offsets.push_back(indices.size());
    }
  }

  Examples dense() const {
    Examples examples;
    examples.features = DenseRows{values.data(), classes.size(), kColumns};
    examples.classes = classes;
    examples.labels = labels;
    return examples;
  }
  Examples sparse() const {
    Examples examples = dense();
    examples.features = SparseRows{offsets, indices, values, kColumns};
    return examples;
  }

  std::vector<float> values;
  std::vector<std::uint32_t> classes;
  std::vector<std::string> labels;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> indices;
};

TrainConfig quick() {
  TrainConfig config;
  config.epochs = 3;
  config.threads = 1;
  return config;
}

DataOptions uncached() {
  DataOptions options;
  options.use_cache = false;
  return options;
}

std::vector<std::uint32_t> answers(const Model& model, const Examples& examples,
                                   std::uint32_t top_k = 1) {
  std::vector<std::uint32_t> classes(examples.size() * top_k);
  PredictOptions options;
  options.top_k = top_k;
  options.threads = 2;
  Predictor(model, options).predict(examples, {classes.data()});
  return classes;
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

TEST(ExamplesTest, ClassesMayBeWithoutExamplesAndNewOnesMayCome) {
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

TEST(ExamplesTest, NewClassesMayBeWithoutExamples) {
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

TEST(ExamplesTest, AModelOfTwoClassesLearnsMore) {
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

TEST(CanonicalTest, OrderAndRepeatsDoNotMatterAndWholeWeightsAreRepeats) {
  const Blobs blobs(50);
  std::vector<std::uint32_t> repeated;
  std::vector<float> weights;
  for (std::uint32_t example = 0; example < 50; ++example) {
    weights.push_back(static_cast<float>(example % 4));
    repeated.insert(repeated.end(), example % 4, example);
  }
  std::ranges::reverse(repeated);
  Examples weighted = blobs.dense();
  weighted.weights = weights;
  const Dataset one = Dataset::load(weighted).canonical();
  const Dataset two = Dataset::load(blobs.dense()).subset(repeated).canonical();
  ASSERT_EQ(one.size(), repeated.size());
  EXPECT_FALSE(one.data().view.has_weights());
  EXPECT_TRUE(std::ranges::equal(one.class_ids(), two.class_ids()));
  const std::string bytes = train(one, quick()).model.with_attributes({}).to_bytes();
  const auto same = [&](const Dataset& data) {
    const Model other = train(data, quick()).model;
    return answers(other, blobs.dense(), 3) == answers(Model::from_bytes(bytes), blobs.dense(), 3);
  };
  EXPECT_TRUE(same(two));
}

TEST(CanonicalTest, OtherWeightsStayAndZerosGo) {
  const Blobs blobs(8);
  const std::vector<float> weights = {0.5F, 0.0F, 2.0F, 1.0F, 1.0F, 1.0F, 0.0F, 3.0F};
  Examples weighted = blobs.dense();
  weighted.weights = weights;
  const Dataset data = Dataset::load(weighted).canonical();
  EXPECT_EQ(data.size(), 6U);
  EXPECT_TRUE(data.data().view.has_weights());
  const std::vector<float> none(8, 0.0F);
  weighted.weights = none;
  EXPECT_THAT(error_text([&] { Dataset::load(weighted).canonical(); }), HasSubstr("weight"));
}

TEST(ModelBytesTest, BytesAndAttributesAreKept) {
  const Blobs blobs(200);
  const Model model = train(Dataset::load(blobs.dense()), quick()).model;
  const Model named = model.with_attributes({{"test.colour", "red\n\"x\""}});
  const Model again = Model::from_bytes(named.to_bytes());
  EXPECT_EQ(again.attributes(), named.attributes());
  EXPECT_EQ(answers(again, blobs.dense(), 3), answers(model, blobs.dense(), 3));
  const testing::TemporaryFolder folder;
  named.save(folder.path("m"));
  EXPECT_EQ(Model::load(folder.path("m")).attributes(), named.attributes());
  EXPECT_EQ(testing::TemporaryFolder::read(folder.path("m")), named.to_bytes());
  std::string damaged = named.to_bytes();
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_THAT(error_text([&] { Model::from_bytes(damaged); }), HasSubstr("checksum"));
  EXPECT_THAT(error_text([] { Model::from_bytes("no model at all"); }), HasSubstr("safetensors"));
}

TEST(InterruptionTest, APreparationCanBeGivenUp) {
  struct Impatient : TrainObserver {
    bool give_up_requested() override { return true; }
  };
  const Blobs blobs(4000);
  Impatient observer;
  TrainConfig config = quick();
  config.method = Method::kCane;
  EXPECT_THROW(train(Dataset::load(blobs.dense()), config, &observer), Interrupted);
  EXPECT_EQ(train(Dataset::load(blobs.dense()), config).epochs, 3U);
}

TEST(ClassVectorsTest, ScoresAreTheirProducts) {
  const Blobs blobs(200);
  TrainConfig config = quick();
  config.method = Method::kSoftmax;
  const Model model = train(Dataset::load(blobs.dense()), config).model;
  const ClassVectors vectors = class_vectors(model);
  ASSERT_EQ(vectors.weights.size(), kClasses * kColumns);
  std::vector<std::uint32_t> classes(200);
  std::vector<float> scores(200);
  Predictor(model).predict(blobs.dense(), {classes.data(), scores.data()});
  for (std::size_t row = 0; row < 200; ++row) {
    const float* const x = blobs.values.data() + row * kColumns;
    const float* const w = vectors.weights.data() + classes[row] * kColumns;
    EXPECT_NEAR(std::inner_product(x, x + kColumns, w, vectors.biases[classes[row]]), scores[row],
                1e-3F);
  }
}

TEST(ExplainRowTest, ARowOfFeaturesAddsUpToItsScores) {
  const Blobs blobs(200);
  TrainConfig config = quick();
  config.method = Method::kSoftmax;
  const Model model = train(Dataset::load(blobs.dense()), config).model;
  std::vector<Feature> features;
  for (std::uint32_t i = 0; i < kColumns; ++i) features.push_back({i, blobs.values[i]});
  const Explanation explanation = Explainer(model).explain(features);
  float sum = 0.0F;
  for (const Contribution& one : explanation.contributions) sum += one.first;
  EXPECT_NEAR(sum, explanation.first_score, 1e-3F);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
