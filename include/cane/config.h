// How a model is trained. Each default is the one that `cane train --help` prints.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

enum class Method { kCane };
enum class Select { kBeam };
enum class Noise { kUniform };
enum class Start { kZero, kMeans };
enum class Schedule { kConstant, kLinear };
enum class Optimizer { kSgd, kAdagrad };
enum class Probability { kNone, kEstimate, kExact };

struct TrainConfig {
  Method method = Method::kCane;
  Select select = Select::kBeam;
  /// Classes that compete with the label of an example, found by the selector.
  std::uint32_t candidates = 9;
  /// Classes drawn from outside the candidates; each gives its own term, and the terms are
  /// averaged.
  std::uint32_t noises = 1;
  Noise noise = Noise::kUniform;

  /// clustered, balanced, random, or the path of a tree file.
  std::string tree = "clustered";
  std::uint32_t arity = 32;

  /// Where the weights begin: at zero, or at the class means, the nearest-centre classifier.
  Start start = Start::kMeans;
  std::uint32_t epochs = 20;
  /// 0: chosen to fit the scale of the features.
  float lr = 0.0F;
  Schedule schedule = Schedule::kLinear;
  Optimizer optimizer = Optimizer::kSgd;
  /// Examples whose gradients are taken at the same weights.
  std::uint32_t batch = 16;
  /// Weight decay on the weights an example touches; 0: none.
  float l2 = 0.0F;
  /// The longest gradient an example may have; 0: any.
  float clip = 0.0F;
  /// Stop after this many epochs without a better accuracy on the validation data; 0: never.
  std::uint32_t patience = 3;

  /// 0: one for each core. Threads share the weights without locks.
  int threads = 0;
  std::uint64_t seed = 1;
  /// The same seed gives the same bits for any number of threads.
  bool deterministic = false;

  /// Where the state after every epoch is kept; empty: nowhere. Remove it once the model is saved.
  std::string checkpoint_path;
  /// Continue from checkpoint_path.
  bool resume = false;
};

}  // namespace cane
