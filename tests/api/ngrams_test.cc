// N-grams from training to prediction: words that never come again, told apart by what they are
// made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cane/cane.h"
#include "core/base/random.h"
#include "data/loaded_data.h"
#include "model/model_data.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 8;

std::string letters(const CounterRandom& random, std::uint64_t at, std::uint32_t first,
                    std::uint32_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    text += static_cast<char>('a' + random.below(26, at, first + i));
  }
  return text;
}

// Each word is the stem of its class, with letters around it that make it a word of its own.
std::string stems_in_words(std::uint64_t seed, std::uint32_t examples) {
  const CounterRandom stems(1, RandomPurpose::kSynthetic);
  const CounterRandom random(seed, RandomPurpose::kSynthetic);
  std::string text;
  for (std::uint32_t e = 0; e < examples; ++e) {
    const std::uint32_t label = e % kClasses;
    text += "__label__" + std::to_string(label) + ' ' + letters(random, e, 0, 4) +
            letters(stems, label, 0, 5) + letters(random, e, 10, 4) + '\n';
  }
  return text;
}

// The words of all classes are the same; what follows what tells them apart.
std::string orders_of_words(std::uint64_t seed, std::uint32_t examples) {
  const CounterRandom random(seed, RandomPurpose::kSynthetic);
  std::string text;
  for (std::uint32_t e = 0; e < examples; ++e) {
    text += e % 2 == 0 ? "__label__forth" : "__label__back";
    const std::uint64_t first = random.below(4, e, 0);
    for (std::uint32_t i = 0; i < 4; ++i) {
      text += ' ';
      text += static_cast<char>('a' + (first + (e % 2 == 0 ? i : 4 - i)) % 4);
    }
    text += '\n';
  }
  return text;
}

class NgramsInModels : public ::testing::Test {
 protected:
  DataOptions options() const {
    DataOptions data_options;
    data_options.use_cache = false;
    data_options.threads = 1;
    data_options.ngram_bits = 12;
    return data_options;
  }

  static TrainConfig config() {
    TrainConfig train_config;
    train_config.epochs = 5;
    train_config.threads = 2;
    train_config.deterministic = true;
    return train_config;
  }

  // Of a model that was saved and loaded: it needs no options to read the test data.
  double accuracy(const std::string& train_text, const std::string& test_text,
                  const DataOptions& data_options, const TrainConfig& train_config) {
    const Dataset data = Dataset::load(folder_.write("train", train_text), data_options);
    train(data, train_config).model.save(folder_.path("model"));
    const Model model = Model::load(folder_.path("model"));
    EXPECT_EQ(model.data().vocabulary, data.data().vocabulary);
    DataOptions plain;
    plain.use_cache = false;
    const Dataset test = Dataset::load(folder_.write("test", test_text), model, plain);
    return evaluate(model, test).accuracy;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(NgramsInModels, OfCharactersTellUnseenWordsApart) {
  DataOptions data_options = options();
  data_options.char_ngrams = {3, 5};
  data_options.min_count = 2;  // no word comes twice: there is nothing but n-grams
  for (const Method method : {Method::kSoftmax, Method::kCane, Method::kRecallTree}) {
    TrainConfig train_config = config();
    data_options.ngram_bits = method == Method::kSoftmax ? 0 : 12;
    train_config.method = method;
    EXPECT_GT(accuracy(stems_in_words(2, 400), stems_in_words(3, 80), data_options, train_config),
              0.9)
        << name_of(method);
  }
  TrainConfig bag = config();
  bag.encoder = EncoderKind::kBag;
  bag.dim = 16;
  data_options.normalize = Normalize::kL2;
  EXPECT_GT(accuracy(stems_in_words(2, 400), stems_in_words(3, 80), data_options, bag), 0.9);
}

TEST_F(NgramsInModels, OfWordsTellOrdersApart) {
  DataOptions data_options = options();
  data_options.word_ngrams = 2;
  TrainConfig train_config = config();
  train_config.method = Method::kSoftmax;
  EXPECT_EQ(accuracy(orders_of_words(2, 200), orders_of_words(3, 40), data_options, train_config),
            1.0);
  data_options.word_ngrams = 1;
  data_options.ngram_bits = 0;
  EXPECT_LT(accuracy(orders_of_words(2, 200), orders_of_words(3, 40), data_options, train_config),
            0.9);
}

TEST_F(NgramsInModels, AreDescribed) {
  const auto features = [&](const DataOptions& data_options) {
    const Dataset data = Dataset::load(folder_.write("text", stems_in_words(2, 40)), data_options);
    TrainConfig train_config = config();
    train_config.epochs = 1;
    for (const auto& [name, value] : train(data, train_config).model.description()) {
      if (name == "features") return value;
    }
    return std::string();
  };
  DataOptions data_options = options();
  data_options.word_ngrams = 2;
  data_options.char_ngrams = {3, 5};
  EXPECT_EQ(features(data_options),
            "4136 and a bias, words of a dictionary, runs of up to 2 words, runs of 3 to 5 "
            "characters, hashed to 12 bits");
  data_options.ngram_bits = 0;
  EXPECT_THAT(features(data_options),
              ::testing::HasSubstr("runs of up to 2 words, runs of 3 to 5 characters: "));
  data_options.hash_bits = 10;
  data_options.word_ngrams = 1;
  EXPECT_EQ(features(data_options),
            "1024 and a bias, words hashed to 10 bits, runs of 3 to 5 characters hashed likewise");
}

TEST_F(NgramsInModels, MustBeTheSameToResume) {
  const std::string path = folder_.write("text", stems_in_words(2, 40));
  DataOptions data_options = options();
  data_options.char_ngrams = {3, 5};
  TrainConfig train_config = config();
  train_config.checkpoint_path = folder_.path("checkpoint");
  train_config.checkpoint_every = 0.0;
  train(Dataset::load(path, data_options), train_config);
  train_config.resume = true;
  train(Dataset::load(path, data_options), train_config);
  data_options.char_ngrams = {3, 4};
  EXPECT_THAT(testing::error_text([&] { train(Dataset::load(path, data_options), train_config); }),
              ::testing::HasSubstr("the same reading options"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
