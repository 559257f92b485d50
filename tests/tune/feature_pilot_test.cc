// Labels: threads
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "cane/features.h"
#include "cane/model.h"
#include "core/base/random.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint64_t kExamples = 800;

// A word of the alphabet's first letters; different numbers give different words.
std::string stem(std::uint64_t number) {
  std::string word;
  for (int i = 0; i < 6; ++i, number /= 8) word += static_cast<char>('a' + number % 8);
  return word;
}

using MakeLine = std::function<std::string(std::uint64_t example, const CounterRandom& random)>;

std::string make_text(const MakeLine& line) {
  const CounterRandom random(3, RandomPurpose::kSynthetic);
  std::string text;
  for (std::uint64_t i = 0; i < kExamples; ++i) text += line(i, random) + "\n";
  return text;
}

// The words are the same in both classes; their order is not.
std::string ordered_text() {
  return make_text([](std::uint64_t i, const CounterRandom&) {
    return i % 2 == 0 ? "__label__ask is it" : "__label__say it is";
  });
}

// Every word occurs once; its ending tells the class.
std::string ending_text() {
  return make_text([](std::uint64_t i, const CounterRandom& random) {
    const std::string word = stem(random.below(1U << 18, i, 0));
    return i % 2 == 0 ? "__label__verb " + word + "ing" : "__label__noun " + word + "ness";
  });
}

std::string worded_text() {
  return make_text([](std::uint64_t i, const CounterRandom&) {
    return i % 2 == 0 ? "__label__a Left, again!" : "__label__b right again";
  });
}

DataOptions chosen_for(const std::string& text, const DataOptions& asked = {},
                       const TrainConfig& config = {}, TrainObserver* observer = nullptr) {
  const testing::TemporaryFolder folder;
  return choose_features(folder.write("text.ft", text), asked, config, observer);
}

TEST(FeaturePilotThreads, PicksRunsOfWordsWhereTheirOrderMatters) {
  for (const int threads : {1, 3}) {
    TrainConfig config;
    config.threads = threads;
    const DataOptions chosen = chosen_for(ordered_text(), {}, config);
    EXPECT_EQ(chosen.word_ngrams, 2U) << threads;
    EXPECT_EQ(chosen.char_ngrams, CharNgrams{}) << threads;
  }
}

TEST(FeaturePilot, PicksPiecesWhereEndingsMatter) {
  EXPECT_EQ(chosen_for(ending_text()).char_ngrams, (CharNgrams{3, 5}));
}

TEST(FeaturePilot, PicksTheCheapestOfEquals) {
  const DataOptions chosen = chosen_for(worded_text());
  EXPECT_EQ(chosen.tokenizer, TokenizerKind::kWords);
  EXPECT_EQ(chosen.weights, FeatureWeights::kTfidf);
  EXPECT_EQ(chosen.word_ngrams, 1U);
  EXPECT_EQ(chosen.char_ngrams, CharNgrams{});
}

TEST(FeaturePilot, KeepsWhatIsGiven) {
  DataOptions asked;
  asked.word_ngrams = 1;
  asked.weights = FeatureWeights::kBinary;
  const DataOptions chosen = chosen_for(ordered_text(), asked);
  EXPECT_EQ(chosen.word_ngrams, 1U);
  EXPECT_EQ(chosen.weights, FeatureWeights::kBinary);
}

TEST(FeaturePilot, DoesNotMeasureWhenToldSo) {
  TrainConfig config;
  config.pilot = PilotKind::kOff;
  const DataOptions chosen = chosen_for(ending_text(), {}, config);
  EXPECT_EQ(chosen.tokenizer, TokenizerKind::kWords);
  EXPECT_EQ(chosen.word_ngrams, 2U);
  EXPECT_EQ(chosen.char_ngrams, CharNgrams{});
}

TEST(FeaturePilot, LeavesGivenFeaturesAsTheyAreUnlessItPays) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("{} {}:1 9:1 100:1\n", i % 2, 1 + i % 2);
  const testing::TemporaryFolder folder;
  const DataOptions chosen = choose_features(folder.write("a.svm", text), {});
  EXPECT_EQ(chosen.weights, FeatureWeights::kAuto);
  EXPECT_EQ(chosen.normalize, Normalize::kAuto);
}

// Three words in a row tell the class; each two of them occur in both.
std::string long_run_text() {
  return make_text([](std::uint64_t i, const CounterRandom&) {
    const char* lines[] = {"__label__a a b c", "__label__b b c a b", "__label__b c a b c c",
                           "__label__a b a b c"};
    return std::string(lines[i % 4]);
  });
}

TEST(FeatureSearch, IsAtLeastAsGoodAsTheTable) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("text.ft", long_run_text());
  const ChosenFeatures chosen = search_features(path, {});
  EXPECT_NE(chosen.data.tokenizer, TokenizerKind::kAuto);
  EXPECT_GE(chosen.data.word_ngrams, 2U);
}

TEST(FeatureSearch, KeepsWhatIsGiven) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("text.ft", ending_text());
  DataOptions asked;
  asked.char_ngrams = {};
  asked.weights = FeatureWeights::kBinary;
  const ChosenFeatures chosen = search_features(path, asked);
  EXPECT_EQ(chosen.data.char_ngrams, CharNgrams{});
  EXPECT_EQ(chosen.data.weights, FeatureWeights::kBinary);
}

TEST(FeaturePilot, SaysWhatItMeasured) {
  struct Notes : TrainObserver {
    void on_message(const std::string& text) override { lines.push_back(text); }
    std::vector<std::string> lines;
  } notes;
  chosen_for(worded_text(), {}, {}, &notes);
  ASSERT_EQ(notes.lines.size(), 6U);
  EXPECT_EQ(notes.lines.front(), "features: 4 ways; trained on 800 examples of 2 classes");
  EXPECT_EQ(notes.lines.back().find("features: picked words; tfidf, in "), 0U);
}

TEST(FeaturePilot, FindsTheFeaturesOfAModelAgain) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("text.ft", worded_text());
  DataOptions options;
  options.use_cache = false;
  options.tokenizer = TokenizerKind::kWords;
  options.weights = FeatureWeights::kTfidf;
  options.char_ngrams = {2, 3};
  TrainConfig config;
  config.epochs = 1;
  const Model model = train(Dataset::load(path, options), config).model;
  const DataOptions again = with_features_of(model, {});
  EXPECT_EQ(again.tokenizer, TokenizerKind::kWords);
  EXPECT_EQ(again.weights, FeatureWeights::kTfidf);
  EXPECT_EQ(again.normalize, Normalize::kL2);
  EXPECT_EQ(again.word_ngrams, 1U);
  EXPECT_EQ(again.char_ngrams, (CharNgrams{2, 3}));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
