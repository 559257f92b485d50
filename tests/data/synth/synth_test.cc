// Labels: threads
#include "cane/synth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "cane/error.h"
#include "core/base/thread_pool.h"
#include "data/synth/synth_law.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::TemporaryFolder;

SynthOptions small_options() {
  SynthOptions options;
  options.classes = 30;
  options.examples = 1000;
  options.test_examples = 500;
  options.dimension = 5;
  options.branching = 3;
  options.threads = 1;
  return options;
}

// The elements of a .npy file, its header checked the way a reader does.
template <typename Element>
std::vector<Element> npy_elements(const std::string& path, const std::string& type,
                                  const std::string& shape) {
  const std::string bytes = TemporaryFolder::read(path);
  EXPECT_TRUE(bytes.starts_with(std::string("\x93NUMPY\x01\x00", 8))) << path;
  const std::size_t length =
      static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  const std::string header = bytes.substr(10, length);
  EXPECT_EQ((10 + length) % 64, 0U);
  EXPECT_EQ(header.back(), '\n');
  EXPECT_THAT(header, ::testing::HasSubstr("'descr': '" + type + "'"));
  EXPECT_THAT(header, ::testing::HasSubstr("'fortran_order': False"));
  EXPECT_THAT(header, ::testing::HasSubstr("'shape': (" + shape + ")"));
  std::vector<Element> elements((bytes.size() - 10 - length) / sizeof(Element));
  std::memcpy(elements.data(), bytes.data() + 10 + length, elements.size() * sizeof(Element));
  return elements;
}

std::string all_bytes(const SynthOptions& options) {
  const TemporaryFolder folder;
  synthesize(folder.path("data"), options);
  std::string bytes;
  for (const char* name : {"X_train.npy", "y_train.npy", "X_test.npy", "y_test.npy", "train.svm",
                           "test.svm", "best.json"}) {
    const std::string path = folder.path("data") + "/" + name;
    if (std::filesystem::exists(path)) bytes += name + TemporaryFolder::read(path);
  }
  return bytes;
}

TEST(SynthThreads, GivesTheSameBytesForAnyNumberOfThreads) {
  for (const bool as_text : {false, true}) {
    SynthOptions options = small_options();
    options.as_text = as_text;
    options.zipf = 0.7;
    const std::string bytes = all_bytes(options);
    for (const int threads : {2, 4}) {
      options.threads = threads;
      EXPECT_EQ(all_bytes(options), bytes);
    }
  }
}

TEST(SynthThreads, WritesSeveralBlocksInOrder) {
  SynthOptions options = small_options();
  options.dimension = 1;
  options.examples = 40000;
  const std::string bytes = all_bytes(options);
  options.threads = 3;
  EXPECT_EQ(all_bytes(options), bytes);
}

TEST(Synth, ChangesWithTheSeed) {
  SynthOptions options = small_options();
  const std::string bytes = all_bytes(options);
  EXPECT_EQ(all_bytes(options), bytes);
  options.seed = 2;
  EXPECT_NE(all_bytes(options), bytes);
}

TEST(Synth, WritesWhatItReports) {
  const TemporaryFolder folder;
  const SynthOptions options = small_options();
  const SynthReport report = synthesize(folder.path("a/b"), options);
  EXPECT_EQ(report.train_path, folder.path("a/b/X_train.npy"));
  EXPECT_EQ(report.test_path, folder.path("a/b/X_test.npy"));
  const auto json = nlohmann::json::parse(TemporaryFolder::read(report.report_path));
  EXPECT_EQ(json.at("best_accuracy"), report.best_accuracy);
  EXPECT_EQ(json.at("standard_error"), report.standard_error);
  EXPECT_EQ(json.at("classes"), 30);
  EXPECT_EQ(json.at("noise"), 0.5);
  EXPECT_EQ(json.at("train"), "X_train.npy");
  EXPECT_NEAR(report.standard_error,
              std::sqrt(report.best_accuracy * (1 - report.best_accuracy) / 500), 1e-12);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(folder.path("a/b"))) {
    ++files;
  }
  EXPECT_EQ(files, 5U);
}

TEST(Synth, GivesEveryClassATrainingExample) {
  const TemporaryFolder folder;
  SynthOptions options = small_options();
  options.examples = options.classes;
  options.zipf = 2.0;
  synthesize(folder.path("d"), options);
  auto labels = npy_elements<std::int64_t>(folder.path("d/y_train.npy"), "<i8", "30,");
  EXPECT_FALSE(std::ranges::is_sorted(labels));
  std::ranges::sort(labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_EQ(labels[i], static_cast<std::int64_t>(i));
  }
}

TEST(Synth, HoldsTheSameNumbersAsTextAndAsMatrix) {
  const TemporaryFolder folder;
  SynthOptions options = small_options();
  synthesize(folder.path("npy"), options);
  options.as_text = true;
  synthesize(folder.path("svm"), options);
  for (const std::string name : {"train", "test"}) {
    const std::string count = name == "train" ? "1000" : "500";
    const auto values =
        npy_elements<float>(folder.path("npy/X_" + name + ".npy"), "<f4", count + ", 5");
    const auto labels =
        npy_elements<std::int64_t>(folder.path("npy/y_" + name + ".npy"), "<i8", count + ",");
    std::istringstream text(TemporaryFolder::read(folder.path("svm/" + name + ".svm")));
    std::size_t row = 0;
    for (std::string line; std::getline(text, line); ++row) {
      std::istringstream fields(line);
      std::int64_t label = -1;
      fields >> label;
      ASSERT_EQ(label, labels[row]);
      for (std::size_t i = 0; i < 5; ++i) {
        std::size_t index = 0;
        char colon = 0;
        std::string value;
        fields >> index >> colon >> value;
        ASSERT_EQ(index, i + 1);
        ASSERT_EQ(std::stof(value), values[row * 5 + i]);
      }
    }
    EXPECT_EQ(row, labels.size());
  }
}

TEST(Synth, KnowsTheBestAccuracy) {
  for (const std::uint32_t classes : {2U, 30U, 67U}) {
    const TemporaryFolder folder;
    SynthOptions options = small_options();
    options.classes = classes;
    options.test_examples = 333;
    options.noise = 0.9;
    options.zipf = 1.0;
    const SynthReport report = synthesize(folder.path("d"), options);
    const auto values = npy_elements<float>(folder.path("d/X_test.npy"), "<f4", "333, 5");
    const auto labels = npy_elements<std::int64_t>(folder.path("d/y_test.npy"), "<i8", "333,");

    ThreadPool pool(1);
    const SynthLaw law(options, pool);
    int correct = 0;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      double best_density = -1.0;
      std::int64_t best = -1;
      for (ClassId label = 0; label < classes; ++label) {
        double squares = 0.0;
        for (std::size_t i = 0; i < 5; ++i) {
          squares += std::pow(double{values[row * 5 + i]} - double{law.centre(label)[i]}, 2);
        }
        const double density = law.frequency(label) * std::exp(-squares / (2 * 0.9 * 0.9));
        if (density > best_density) {
          best_density = density;
          best = label;
        }
      }
      correct += best == labels[row] ? 1 : 0;
    }
    EXPECT_DOUBLE_EQ(report.best_accuracy, correct / 333.0);
    EXPECT_GT(report.best_accuracy, 0.2);
    EXPECT_LT(report.best_accuracy, 0.99);
  }
}

TEST(Synth, IsSolvedByTheBestClassifierWhenThereIsNoNoise) {
  SynthOptions options = small_options();
  options.noise = 1e-3;
  const TemporaryFolder folder;
  const SynthReport report = synthesize(folder.path("d"), options);
  EXPECT_EQ(report.best_accuracy, 1.0);
  EXPECT_EQ(report.standard_error, 0.0);
}

TEST(Synth, LeavesOnlyTheLargestFrequencyWhenNoiseHidesEverything) {
  SynthOptions options = small_options();
  options.noise = 1e6;
  options.zipf = 1.5;
  options.test_examples = 4000;
  ThreadPool pool(1);
  const SynthLaw law(options, pool);
  double largest = 0.0;
  for (ClassId label = 0; label < options.classes; ++label) {
    largest = std::max(largest, law.frequency(label));
  }
  const TemporaryFolder folder;
  const SynthReport report = synthesize(folder.path("d"), options);
  EXPECT_NEAR(report.best_accuracy, largest, 4.0 * std::sqrt(largest * (1 - largest) / 4000));
}

TEST(Synth, DrawsTestLabelsByZipf) {
  SynthOptions options = small_options();
  options.zipf = 1.2;
  options.test_examples = 20000;
  ThreadPool pool(1);
  const SynthLaw law(options, pool);
  std::vector<double> stated;
  for (ClassId label = 0; label < options.classes; ++label) stated.push_back(law.frequency(label));
  EXPECT_FALSE(std::ranges::is_sorted(stated, std::greater<>()));
  std::vector<int> counts(options.classes, 0);
  for (std::uint64_t example = 0; example < options.test_examples; ++example) {
    ++counts[law.label(SynthSplit::kTest, example)];
  }
  double chi_square = 0.0;
  for (std::size_t label = 0; label < counts.size(); ++label) {
    const double expected = stated[label] * 20000;
    chi_square += (counts[label] - expected) * (counts[label] - expected) / expected;
  }
  EXPECT_LT(chi_square, 58.3);  // 29 degrees of freedom, p = 0.001
  std::ranges::sort(stated, std::greater<>());
  for (std::size_t rank = 1; rank < stated.size(); ++rank) {
    EXPECT_NEAR(stated[rank] / stated[0], std::pow(static_cast<double>(rank + 1), -1.2), 1e-9);
  }
}

TEST(SynthLaw, ScattersExamplesAroundTheirCentreByTheNoise) {
  SynthOptions options = small_options();
  options.dimension = 7;
  ThreadPool pool(1);
  const SynthLaw law(options, pool);
  double sum = 0.0;
  double squares = 0.0;
  std::vector<float> row(7);
  const int examples = 3000;
  for (std::uint64_t example = 0; example < examples; ++example) {
    const ClassId label = law.label(SynthSplit::kTrain, example % options.examples);
    law.features(SynthSplit::kTrain, example, label, row);
    for (std::size_t i = 0; i < 7; ++i) {
      const double deviation = double{row[i]} - double{law.centre(label)[i]};
      sum += deviation;
      squares += deviation * deviation;
    }
  }
  const double count = 7.0 * examples;
  EXPECT_NEAR(sum / count, 0.0, 4 * 0.5 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 0.25, 4 * 0.25 * std::sqrt(2 / count));
}

TEST(SynthLaw, SeparatesGroupsByTheirSizeAndNotByTheDimension) {
  for (const std::uint32_t dimension : {8U, 100U}) {
    SynthOptions options = small_options();
    options.classes = 1000;
    options.branching = 10;
    options.dimension = dimension;
    ThreadPool pool(1);
    const SynthLaw law(options, pool);
    std::vector<ClassId> class_at(options.classes);
    for (ClassId label = 0; label < options.classes; ++label) class_at[law.place(label)] = label;
    const auto mean_square_distance = [&](std::uint32_t apart) {
      double sum = 0.0;
      for (std::uint32_t place = 0; place + apart < 1000; place += 2 * apart) {
        const auto a = law.centre(class_at[place]);
        const auto b = law.centre(class_at[place + apart]);
        for (std::size_t i = 0; i < dimension; ++i) sum += std::pow(double{a[i]} - double{b[i]}, 2);
      }
      return sum / (1000.0 / (2 * apart));
    };
    const double one = kSeparation * kSeparation;
    EXPECT_NEAR(mean_square_distance(1) / (2 * one), 1.0, 0.15);
    EXPECT_NEAR(mean_square_distance(10) / (2 * one * (1 + std::cbrt(100.0))), 1.0, 0.3);
  }
}

TEST(Synth, NamesTheOptionThatIsWrong) {
  const TemporaryFolder folder;
  const auto message = [&](auto change) {
    SynthOptions options = small_options();
    change(options);
    try {
      synthesize(folder.path("d"), options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(message([](auto& o) { o.classes = 1; }).starts_with("`classes`: "));
  EXPECT_TRUE(message([](auto& o) { o.classes = 0; }).starts_with("`classes`: "));
  EXPECT_TRUE(message([](auto& o) { o.examples = 29; }).starts_with("`examples`: "));
  EXPECT_TRUE(message([](auto& o) { o.test_examples = 0; }).starts_with("`test_examples`: "));
  EXPECT_TRUE(message([](auto& o) { o.dimension = 0; }).starts_with("`dimension`: "));
  EXPECT_TRUE(message([](auto& o) { o.branching = 1; }).starts_with("`branching`: "));
  EXPECT_TRUE(message([](auto& o) { o.noise = 0.0; }).starts_with("`noise`: "));
  EXPECT_TRUE(message([&](auto& o) { o.noise = nan; }).starts_with("`noise`: "));
  EXPECT_TRUE(message([](auto& o) { o.zipf = -0.1; }).starts_with("`zipf`: "));
  EXPECT_TRUE(message([&](auto& o) { o.zipf = nan; }).starts_with("`zipf`: "));
  EXPECT_FALSE(std::filesystem::exists(folder.path("d")));
}

TEST(Synth, SaysWhenTheFolderCannotBeMade) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file", "in the way");
  EXPECT_THROW(synthesize(file, small_options()), Error);
  EXPECT_THROW(synthesize(file + "/below", small_options()), Error);
  EXPECT_EQ(TemporaryFolder::read(file), "in the way");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
