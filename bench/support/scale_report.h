// The results of a sweep over the number of classes, as Markdown, JSON and a chart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cane::bench {

/// Times of one method at one number of classes.
struct MethodTimes {
  std::string method;
  std::uint64_t train_examples = 0;  // timed per round
  double train_microseconds = 0.0;   // per example, all threads
  std::uint64_t predict_examples = 0;
  double predict_microseconds = 0.0;  // per example, one thread
  double rows = 0.0;                  // of floats, scored per example in training
  double predict_rows = 0.0;          // and in prediction; rows in 8 bits count as a quarter
  double accuracy = -1.0;             // on test examples; negative: not trained to the end
  double start_seconds = 0.0;         // tree and initial weights
};

struct ScalePoint {
  std::uint32_t classes = 0;
  std::uint64_t examples = 0;  // used for the tree and the initial weights
  MethodTimes cane;
  MethodTimes softmax;
  double agreement = 0.0;  // share of predictions that are the best class of cane's model
};

struct ScaleReport {
  std::uint32_t dimension = 0;
  int threads = 0;
  std::uint32_t top_k = 0;
  std::uint32_t most_trained = 0;  // classes up to which the softmax is trained to the end
  std::vector<ScalePoint> points;
};

std::string as_markdown(const ScaleReport& report);
std::string as_json(const ScaleReport& report);
/// Time per example against the number of classes, on logarithmic axes.
std::string as_picture(const ScaleReport& report);

}  // namespace cane::bench
