// How a model is trained. Each default is the one that `cane train --help` prints.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

/// kAuto, and 0 where a comment says so: chosen to fit the data; the model remembers the choice.
enum class Method {
  kAuto,
  kCane,
  kSoftmax,
  kNce,
  kNeg,
  kBlackout,
  kOve,
  kCss,
  kHsm,
  kFilterTree,
  kLomTree,
  kRecallTree
};
enum class SelectorKind { kAuto, kBeam, kNarrow, kTree, kGraph, kFrequency, kExact, kAll };
enum class NoiseKind { kAuto, kUniform, kUnigram, kProposal };
enum class ScorerKind { kAuto, kFlat, kPath };
/// What the classes are scored over: the features as they are; the sum of an embedding for each
/// feature; or layers with ReLU over them. Learned with the classes.
enum class EncoderKind { kIdentity, kBag, kMlp };
enum class StartKind { kZero, kMeans };
enum class Schedule { kConstant, kLinear };
enum class OptimizerKind { kAuto, kSgd, kAdagrad };
enum class Probability { kNone, kEstimate, kExact };

/// The largest values of the fields rank, dim, layers, nodes and max_depth.
inline constexpr std::uint32_t kMaxRank = 64;
inline constexpr std::uint32_t kMaxEncoderWidth = 4096;
inline constexpr std::uint32_t kMaxEncoderLayers = 16;
inline constexpr std::uint32_t kMaxNodes = 1U << 30;
/// The routers of a Recall Tree are numbered by 32 bits, and all of them are there from the start.
inline constexpr std::uint32_t kMaxDepthRecallTree = 30;

struct TrainConfig {
  Method method = Method::kAuto;
  /// Of cane: how the classes that compete with the label are found.
  SelectorKind select = SelectorKind::kAuto;
  /// A weight vector for every class, or the sum along the path of a tree.
  ScorerKind scorer = ScorerKind::kAuto;
  /// Classes that compete with the label of an example, found by the selector; 0: auto.
  std::uint32_t candidates = 0;
  /// Classes the search looks at closely, of which the best are the candidates; 0: auto.
  std::uint32_t beam = 0;
  /// Classes drawn from outside the candidates, or beside the label; 0: auto.
  std::uint32_t noises = 0;
  NoiseKind noise = NoiseKind::kAuto;
  /// Unigram noise is drawn in proportion to the frequency of a class to this power.
  float noise_power = 0.75F;
  /// The classes that were found for an example are searched anew every so many epochs; 1: in every
  /// one, 0: auto.
  std::uint32_t reuse = 0;
  /// Dimensions of the cheap model behind the selectors narrow and tree.
  std::uint32_t rank = 16;

  /// clustered, balanced, random, huffman, frequency, or the path of a tree file.
  std::string tree = "clustered";
  std::uint32_t arity = 32;

  /// Of lomtree: the most inner nodes; 0: auto.
  std::uint32_t nodes = 0;
  /// Of lomtree: a leaf is split at the cost of the least used one only if so many times more
  /// examples there are not of its class.
  std::uint32_t swap_resistance = 16;
  /// Of recall-tree: the most frequent classes of a node that are scored there; 0: auto.
  std::uint32_t max_candidates = 0;
  /// Of recall-tree: decisions on the longest way; 0: none, the root scores all.
  std::uint32_t max_depth = kAutoDepth;
  static constexpr std::uint32_t kAutoDepth = 0xFFFFFFFF;
  /// Of recall-tree: how many times the error of the recall is taken off it.
  float bernoulli = 1.0F;

  EncoderKind encoder = EncoderKind::kIdentity;
  /// Dimensions of what an encoder makes of an example.
  std::uint32_t dim = 64;
  /// Of mlp: layers with ReLU.
  std::uint32_t layers = 1;
  /// Of mlp: the share of its units that is left out at random in training.
  float dropout = 0.0F;

  /// After every so many epochs the tree is built anew from the class vectors; 0: never.
  std::uint32_t rebuild_tree = 0;

  /// Where the weights begin: at zero, or at the class means, the nearest-centre classifier.
  StartKind start = StartKind::kMeans;
  std::uint32_t epochs = 20;
  /// 0: chosen to fit the scale of the features.
  float lr = 0.0F;
  Schedule schedule = Schedule::kLinear;
  OptimizerKind optimizer = OptimizerKind::kAuto;
  /// Examples whose gradients are taken at the same weights; 0: auto.
  std::uint32_t batch = 0;
  /// Weight decay on the weights an example touches; 0: none.
  float l2 = 0.0F;
  /// The longest gradient an example may have; 0: any.
  float clip = 0.0F;
  /// Stop after this many epochs without a better accuracy on the validation data; 0: never.
  std::uint32_t patience = 3;
  /// The model returned is the best on the validation data; false: the last.
  bool keep_best = true;

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
