// What a sweep over the number of classes has found, as Markdown, as JSON and as a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cane::bench {

/// Of one method at one number of classes.
struct MethodTimes {
  std::string method;
  std::uint64_t train_examples = 0;  // timed, in a round
  double train_microseconds = 0.0;   // for an example, all threads
  std::uint64_t predict_examples = 0;
  double predict_microseconds = 0.0;  // for an example, one thread
  double rows = 0.0;                  // scored for an example in training
  double start_seconds = 0.0;         // tree and first weights
};

struct ScalePoint {
  std::uint32_t classes = 0;
  std::uint64_t examples = 0;  // the model's tree and first weights are of so many
  MethodTimes cane;
  MethodTimes softmax;
  double agreement = 0.0;  // share of predictions whose class is truly the best of cane's model
};

struct ScaleReport {
  std::uint32_t dimension = 0;
  int threads = 0;
  std::uint32_t top_k = 0;
  std::vector<ScalePoint> points;
};

std::string as_markdown(const ScaleReport& report);
std::string as_json(const ScaleReport& report);
/// Time for an example against the number of classes, both axes logarithmic.
std::string as_picture(const ScaleReport& report);

}  // namespace cane::bench
