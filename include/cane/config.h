// Training options. The defaults are the ones that `cane train --help` prints.
#pragma once

#include <cstdint>
#include <string>

namespace cane {

/// kAuto, and 0 where a comment says so: chosen to fit the data; the choice is stored in the model.
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
enum class SelectorKind {
  kAuto,
  kBeam,
  kNarrow,
  kTree,
  kExact,
  kAll,
  kHsm,
  kCentroid,
  kNone,
  kFrequent,
  kBatch
};
enum class NoiseKind { kAuto, kUniform, kUnigram, kProposal };
/// Several noises of an example: each with a normaliser of its own, or all in one.
enum class NoiseTerms { kAuto, kSeparate, kPooled };
enum class ScorerKind { kAuto, kFlat, kPath };
/// The input of the class scores: the raw features, the sum of one embedding per feature, or ReLU
/// layers over the features. Trained jointly with the classes.
/// kAuto: the bag where a weight for every class and feature would be too many, else the features.
enum class EncoderKind { kIdentity, kBag, kMlp, kAuto };
enum class StartKind { kZero, kMeans, kAuto };
enum class WhitenKind { kAuto, kOff };
enum class PilotKind { kOff, kOn };
enum class Schedule { kConstant, kLinear };
enum class ClassWeight { kNone, kBalanced };
/// How ranks share a training: every rank has all weights and a part of the examples, or every rank
/// has the weights of a part of the classes. kAuto: by classes only where all weights do not fit.
enum class ParallelKind { kAuto, kData, kClasses };
enum class OptimizerKind { kAuto, kSgd, kAdagrad };
/// How scores become probabilities; kAuto: exactly where that costs no more than a few searches,
/// otherwise by an estimate of the normaliser.
enum class Probability { kNone, kEstimate, kExact, kAuto };

/// Upper limits of the fields rank, dim, layers and nodes.
inline constexpr std::uint32_t kMaxRank = 64;
inline constexpr std::uint32_t kMaxEncoderWidth = 4096;
inline constexpr std::uint32_t kMaxEncoderLayers = 16;
inline constexpr std::uint32_t kMaxNodes = 1U << 30;
/// Upper limit of the rates that one may ask for: features of 1e-6 want about as much.
inline constexpr double kMaxRate = 1e12;

/// Default seconds between two checkpoints.
inline constexpr double kCheckpointSeconds = 300.0;

struct TrainConfig {
  /// Before a long training, options left automatic are chosen by short trainings on a few
  /// examples, within a twentieth of its work; kOff: by a rule that looks at the sizes only.
  PilotKind pilot = PilotKind::kOn;
  Method method = Method::kAuto;
  /// cane: how the classes that compete with the label are found.
  SelectorKind select = SelectorKind::kAuto;
  /// A weight vector for every class, or the sum along the path of a tree.
  ScorerKind scorer = ScorerKind::kAuto;
  /// Number of classes that compete with the label of an example: cane: found by the selector,
  /// recall-tree: the most frequent of a node; 0: auto.
  std::uint32_t candidates = 0;
  /// Number of classes the search examines closely; the best become candidates; 0: auto.
  std::uint32_t beam = 0;
  /// Number of classes drawn from outside the candidates, or in addition to the label; 0: auto.
  std::uint32_t noises = 0;
  NoiseKind noise = NoiseKind::kAuto;
  /// kAuto: pooled where a batch shares its noises, separate elsewhere.
  NoiseTerms noise_terms = NoiseTerms::kAuto;
  /// Unigram noise is drawn in proportion to the frequency of a class to this power.
  float noise_power = 0.75F;
  /// The classes found for an example are reused and searched again after this many epochs; 1: in
  /// every epoch, 0: auto.
  std::uint32_t reuse = 0;
  /// Dimensions of the cheap model used by the selectors narrow and tree; 0: auto.
  std::uint32_t rank = 0;

  /// clustered, kmeans, balanced, random, huffman, or the path of a tree file.
  std::string tree = "clustered";
  std::uint32_t arity = 32;

  /// lomtree, recall-tree: maximum number of inner nodes; 0: auto. A Recall Tree has all nodes down
  /// to one depth, or the root alone, which scores all classes if all are candidates.
  std::uint32_t nodes = 0;
  /// lomtree: the least used leaf is recycled to split another leaf only if the other leaf has more
  /// than this many times as many examples outside its majority class.
  std::uint32_t swap_resistance = 16;

  EncoderKind encoder = EncoderKind::kAuto;
  /// Output dimensions of the encoder.
  std::uint32_t dim = 128;
  /// mlp: number of ReLU layers.
  std::uint32_t layers = 1;
  /// mlp: fraction of the units dropped at random in training.
  float dropout = 0.0F;

  /// Initial weights: zero, or the class means (the nearest-centre classifier).
  StartKind start = StartKind::kAuto;
  /// 0: auto, fewer over an encoder where there are many examples.
  std::uint32_t epochs = 0;
  /// Learning rate; 0: chosen to fit the scale of the features.
  float lr = 0.0F;
  Schedule schedule = Schedule::kLinear;
  /// kAuto: plain steps over dense rows go as if these were centred, and their features scaled and
  /// uncorrelated within the classes; off where rows are sparse or encoded.
  WhitenKind whiten = WhitenKind::kAuto;
  OptimizerKind optimizer = OptimizerKind::kAuto;
  /// Examples whose gradients are computed at the same weights; 0: auto.
  std::uint32_t batch = 0;
  /// Weight decay on the weights an example touches; 0: none, kAutoDecay: as fits the method.
  float l2 = kAutoDecay;
  static constexpr float kAutoDecay = -1.0F;
  /// kBalanced: examples of rare classes count for more, so that every class counts the same: the
  /// weight of an example is multiplied by n / (K n_k), if n_k of n examples are of its class.
  ClassWeight class_weight = ClassWeight::kNone;
  /// Maximum gradient norm of an example; 0: unlimited.
  float clip = 0.0F;
  /// Stop after this many epochs without a better accuracy on the validation data; 0: never.
  std::uint32_t patience = 3;
  /// If true, return the model with the best validation accuracy; if false, the last one.
  bool keep_best = true;
  /// Training examples of each class that the model keeps, so that further training on other data
  /// does not forget the class; 0: none.
  std::uint32_t memory = kAutoMemory;
  /// 40, or fewer where these would be more than 4 MiB and a quarter of the weights.
  static constexpr std::uint32_t kAutoMemory = 0xFFFFFFFF;
  /// Fit the probabilities to the validation data, or to examples that the training holds out, at
  /// the end: see cane/calibrate.h.
  bool calibrate = true;

  /// Where the epochs run: "cpu", or "cuda" or "cuda:N", a GPU through the plug-in libcane_cuda.
  /// The model is the same kind of model either way, so this is not stored.
  std::string device = kProcessor;
  static constexpr const char* kProcessor = "cpu";
  /// How the work is shared, if several ranks train. Not stored: it is the same kind of model.
  ParallelKind parallel = ParallelKind::kAuto;
  /// Number of threads, which share the weights without locks; 0: one per core.
  int threads = 0;
  std::uint64_t seed = 1;
  /// The same seed gives the same bits for any number of threads and ranks.
  bool deterministic = false;

  /// Where the state is saved after epochs and on interruption; empty: nowhere. Remove it once the
  /// model is saved.
  std::string checkpoint_path;
  /// Least seconds between two checkpoints; the first is written after the first epoch, the last
  /// after the last one. None is written before training has taken fifty times as long as writing
  /// it does, except on interruption. 0: one after every epoch.
  double checkpoint_every = kCheckpointSeconds;
  /// A note of the user's, kept in the model: see Origin.
  std::string note;
  /// Continue from checkpoint_path.
  bool resume = false;
};

}  // namespace cane
