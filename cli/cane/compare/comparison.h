// What a comparison has found out so far: all that its table, files and pictures show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cane/config.h"
#include "cane/predict.h"

namespace cane::cli {

/// After an epoch, on the test data.
struct CurvePoint {
  std::uint32_t epoch = 0;
  double seconds = 0.0;  // of training so far, with getting ready, without measuring
  double accuracy = 0.0;
  double top_5 = 0.0;
  double coverage = 0.0;
  double training_loss = 0.0;  // of the method's own objective
};

struct MethodResult {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;  // those chosen for the data filled in
  std::vector<std::string> notes;                            // what training said
  std::string error;                                         // empty: the method went through
  std::vector<CurvePoint> curve;

  double setup_seconds = 0.0;  // before the first batch: the tree, the start
  double train_seconds = 0.0;  // with setup_seconds
  std::optional<Evaluation> test;
  std::optional<double> log_loss;  // none: not wanted
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> model_bytes;
};

struct Comparison {
  std::string command;
  std::string started;  // date and time, UTC
  std::string train_path;
  std::string test_path;
  std::size_t train_examples = 0;
  std::size_t test_examples = 0;
  std::size_t classes = 0;
  std::size_t features = 0;
  std::uint64_t unseen_labels = 0;  // test examples whose label training never saw
  int threads = 0;
  Probability log_loss_by = Probability::kExact;
  std::size_t planned = 0;  // methods
  bool interrupted = false;
  std::vector<MethodResult> methods;  // in the order of training
};

}  // namespace cane::cli
