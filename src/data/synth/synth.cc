#include "cane/synth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <vector>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "core/base/memory.h"
#include "core/base/thread_pool.h"
#include "core/file/atomic_file.h"
#include "data/synth/synth_law.h"
#include "data/synth/synth_writer.h"

namespace cane {
namespace {

// The Bayes-optimal classifier of the synthetic data knows centres, noise and frequencies and
// predicts the class with the largest posterior probability,
//   argmax_k (x . mu_k - |mu_k|^2 / 2) / noise^2 + log frequency_k,
// by scoring all classes.

constexpr std::size_t kExamplesPerTask = 64;
constexpr std::size_t kTile = 8;  // classes scored together

std::vector<double> constant_terms(const SynthLaw& law) {
  const double variance = law.options().noise * law.options().noise;
  std::vector<double> terms(law.options().classes);
  for (ClassId label = 0; label < terms.size(); ++label) {
    double squares = 0.0;
    for (const float value : law.centre(label)) {
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    terms[label] = std::log(law.frequency(label)) - squares / (2.0 * variance);
  }
  return terms;
}

// A thread's examples, and the best class of each so far. Two examples at a time are scored against
// a tile of adjacent classes, so that every centre is loaded once for both.
class Scorer {
 public:
  Scorer(const SynthLaw& law, std::span<const double> constant_terms)
      : law_(law),
        constant_terms_(constant_terms),
        dimension_(law.options().dimension),
        precision_(1.0 / (law.options().noise * law.options().noise)),
        examples_(kExamplesPerTask * dimension_),
        row_(dimension_),
        tile_(kTile * dimension_) {}

  std::uint64_t count_correct(std::uint64_t begin, std::uint64_t end) {
    const std::size_t count = end - begin;
    std::vector<ClassId> labels(kExamplesPerTask, 0);
    std::ranges::fill(examples_, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      labels[i] = law_.label(SynthSplit::kTest, begin + i);
      law_.features(SynthSplit::kTest, begin + i, labels[i], row_);
      std::ranges::copy(row_, examples_.begin() + static_cast<std::ptrdiff_t>(i * dimension_));
    }
    std::ranges::fill(best_scores_, -std::numeric_limits<double>::infinity());
    for (ClassId first = 0; first < law_.options().classes; first += kTile) {
      const auto classes = std::min<std::size_t>(kTile, law_.options().classes - first);
      load_tile(first, classes);
      for (std::size_t i = 0; i < count; i += 2) score_pair(i, first, classes);
    }
    std::uint64_t correct = 0;
    for (std::size_t i = 0; i < count; ++i) correct += best_[i] == labels[i] ? 1U : 0U;
    return correct;
  }

 private:
  void load_tile(ClassId first, std::size_t classes) {
    for (std::size_t j = 0; j < classes; ++j) {
      const auto centre = law_.centre(first + static_cast<ClassId>(j));
      for (std::size_t i = 0; i < dimension_; ++i) {
        tile_[i * kTile + j] = static_cast<double>(centre[i]);
      }
    }
  }

  void score_pair(std::size_t example, ClassId first, std::size_t classes) {
    const double* left = examples_.data() + example * dimension_;
    const double* right = left + dimension_;
    double left_sums[kTile] = {};
    double right_sums[kTile] = {};
    for (std::size_t i = 0; i < dimension_; ++i) {
      const double* centres = tile_.data() + i * kTile;
      for (std::size_t j = 0; j < kTile; ++j) {
        left_sums[j] += left[i] * centres[j];
        right_sums[j] += right[i] * centres[j];
      }
    }
    for (std::size_t j = 0; j < classes; ++j) {
      const ClassId label = first + static_cast<ClassId>(j);
      offer(example, label, left_sums[j] * precision_ + constant_terms_[label]);
      offer(example + 1, label, right_sums[j] * precision_ + constant_terms_[label]);
    }
  }

  void offer(std::size_t example, ClassId label, double score) {
    if (score <= best_scores_[example]) return;
    best_scores_[example] = score;
    best_[example] = label;
  }

  const SynthLaw& law_;
  std::span<const double> constant_terms_;
  std::size_t dimension_;
  double precision_;
  std::vector<double> examples_;
  std::vector<float> row_;
  std::vector<double> tile_;  // dimension x kTile
  double best_scores_[kExamplesPerTask] = {};
  ClassId best_[kExamplesPerTask] = {};
};

/// Number of test examples that this classifier predicts correctly; ties go to the lower class.
std::uint64_t count_best_correct(const SynthLaw& law, ThreadPool& pool) {
  const std::uint64_t examples = law.size(SynthSplit::kTest);
  const auto terms = constant_terms(law);
  std::vector<std::uint64_t> correct((examples + kExamplesPerTask - 1) / kExamplesPerTask);
  std::vector<Scorer> scorers(static_cast<std::size_t>(pool.threads()), Scorer(law, terms));
  pool.run(correct.size(), [&](std::size_t task, int worker) {
    const std::uint64_t begin = task * kExamplesPerTask;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kExamplesPerTask, examples);
    correct[task] = scorers[static_cast<std::size_t>(worker)].count_correct(begin, end);
  });
  return std::accumulate(correct.begin(), correct.end(), std::uint64_t{0});
}

void make_folder(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error || !std::filesystem::is_directory(directory)) {
    throw Error(fmt::format("{}: cannot make this folder: {}; choose another one", directory,
                            error ? error.message() : "there is a file of this name"));
  }
}

std::string json_report(const SynthOptions& options, const SynthReport& report) {
  const auto name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  nlohmann::ordered_json json;
  json["classes"] = options.classes;
  json["examples"] = options.examples;
  json["test_examples"] = options.test_examples;
  json["dimension"] = options.dimension;
  json["branching"] = options.branching;
  json["noise"] = options.noise;
  json["zipf"] = options.zipf;
  json["seed"] = options.seed;
  json["format"] = options.as_text ? "svm" : "npy";
  json["train"] = name(report.train_path);
  json["test"] = name(report.test_path);
  json["best_accuracy"] = report.best_accuracy;
  json["standard_error"] = report.standard_error;
  return json.dump(2) + '\n';
}

// The centres of the classes, and of the groups of two levels of the hierarchy.
void check_memory(const SynthOptions& options, int threads) {
  const double rows = options.classes * (1.0 + 4.0 / options.branching);
  const double examples = threads * static_cast<double>(2 * (kExamplesPerTask + kTile));
  check_memory_of(options.dimension > options.classes ? "dimension" : "classes",
                  (rows + examples) * options.dimension * sizeof(float));
}

// A number of a text takes no less than one of a matrix: "1:0 ".
void check_disk(const std::string& directory, const SynthOptions& options) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::path folder = fs::absolute(directory, problem);
  while (!problem && !fs::exists(folder, problem) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  const fs::space_info space = fs::space(folder, problem);
  const double bytes =
      (static_cast<double>(options.examples) + static_cast<double>(options.test_examples)) *
      options.dimension * sizeof(float);
  if (problem || bytes <= static_cast<double>(space.available)) return;
  constexpr double kMost = 0x1.0p63;
  throw OptionError(options.examples >= options.test_examples ? "examples" : "test_examples",
                    fmt::format("this needs {} on the disk of {}, and only {} are free",
                                bytes_as_text(static_cast<std::uint64_t>(std::min(bytes, kMost))),
                                directory, bytes_as_text(space.available)),
                    "take fewer");
}

}  // namespace

std::vector<std::string> synth_file_names(const SynthOptions& options) {
  if (options.as_text) return {"train.svm", "test.svm", kSynthReportName};
  return {"X_train.npy", "y_train.npy", "X_test.npy", "y_test.npy", kSynthReportName};
}

SynthReport synthesize(const std::string& directory, const SynthOptions& options) {
  check_fields(options);
  ThreadPool pool(options.threads);
  check_memory(options, pool.threads());
  check_disk(directory, options);
  const SynthLaw law(options, pool);
  make_folder(directory);

  SynthWriter train(law, SynthSplit::kTrain, directory, pool);
  SynthWriter test(law, SynthSplit::kTest, directory, pool);
  SynthReport report;
  report.train_path = train.path();
  report.test_path = test.path();
  report.report_path = (std::filesystem::path(directory) / kSynthReportName).string();
  const auto examples = static_cast<double>(options.test_examples);
  report.best_accuracy = static_cast<double>(count_best_correct(law, pool)) / examples;
  report.standard_error = std::sqrt(report.best_accuracy * (1.0 - report.best_accuracy) / examples);

  AtomicFile json(report.report_path);
  json.write(json_report(options, report));
  train.commit();
  test.commit();
  json.commit();
  return report;
}

}  // namespace cane
