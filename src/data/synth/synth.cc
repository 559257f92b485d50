#include "cane/synth.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cane/error.h"
#include "core/base/thread_pool.h"
#include "core/file/atomic_file.h"
#include "data/synth/synth_best.h"
#include "data/synth/synth_law.h"
#include "data/synth/synth_writer.h"

namespace cane {
namespace {

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

}  // namespace

SynthReport synthesize(const std::string& directory, const SynthOptions& options) {
  ThreadPool pool(options.threads);
  const SynthLaw law(options, pool);
  make_folder(directory);

  SynthWriter train(law, SynthSplit::kTrain, directory, pool);
  SynthWriter test(law, SynthSplit::kTest, directory, pool);
  SynthReport report;
  report.train_path = train.path();
  report.test_path = test.path();
  report.report_path = (std::filesystem::path(directory) / "best.json").string();
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
