#include "methods/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cane/error.h"
#include "cane/names.h"
#include "methods/config_facts.h"
#include "methods/device.h"
#include "methods/names_where.h"
#include "methods/resolve_online_tree.h"

namespace cane {
namespace {

constexpr std::uint32_t kRank = 16;
constexpr std::uint32_t kNoisesOfCane = 1;
// Number of noises for the methods that contrast the label with noises only.
constexpr std::uint32_t kRivals = 10;
// The competitors of an example change slowly; with fewer epochs than this, reuse does not pay.
constexpr std::uint32_t kReuse = 5;
constexpr std::uint32_t kEpochsForReuse = 5;
constexpr std::uint32_t kClassesForReuse = 500;
// Scoring this many classes is roughly as fast as finding candidates.
constexpr std::uint32_t kFewClasses = 200;
// Over the few dimensions of an encoder all classes cost what a list of this many does.
constexpr std::uint32_t kFewEncodedClasses = 1024;
constexpr std::uint32_t kEpochs = 20;
// Embeddings are learned from all examples: with many of these, further epochs learn them by heart.
constexpr std::uint32_t kEncodedEpochs = 5;
constexpr std::size_t kManyEncodedExamples = 50'000;
// Decay of the class rows over embeddings, for an example that lists all classes. A row that few
// batches list is decayed as much in an epoch. On titles, next words and next items ten times less
// and ten times more were both worse.
constexpr float kEncodedDecay = 2e-5F;
// Where all of them are scored by whitened products of matrices: as many as the noises and labels
// that a batch would list instead.
constexpr std::uint32_t kFewWhitenedClasses = 2000;
constexpr std::size_t kRowsOfFeature = 5;
// A GPU multiplies matrices so fast that all classes cost it little, up to about here by the count
// of bytes and operations.
constexpr std::uint32_t kFewClassesOnDevice = 30'000;
// The most frequent classes are worth their columns where they are this share of the examples.
constexpr double kFrequentShare = 0.25;
// Beam of a hierarchical softmax, and the number of classes an exhaustive search keeps.
constexpr std::uint32_t kBeam = 9;
constexpr std::uint32_t kBatch = 16;
// A matrix product needs more examples to be efficient, and the examples of a batch share few
// classes.
constexpr std::uint32_t kMatrixBatch = 64;
// With more features the dense rows that a batch lists no longer fit into a cache.
constexpr FeatureId kMostDenseFeatures = 1U << 14;
// Noises that a batch shares, and the examples that share them: the more of these, the less a noise
// costs each of them.
constexpr std::uint32_t kSlots = 1024;
constexpr std::uint32_t kEncodedSlots = 2048;
constexpr std::uint32_t kSharingBatch = 256;
// On a device batches are larger, and have more slots than examples: otherwise these would feel
// what they have in common.
constexpr std::uint32_t kSlotsPerExample = 8;
constexpr std::uint32_t kMostSlots = 8192;
// The examples of a batch make one step together. With fewer steps in an epoch these would be long,
// and some would overshoot.
constexpr std::size_t kFewestBatches = 128;
// A GPU is idle over small batches. Steps are sums, so the rate stays, as long as a class is seen
// about once in two batches, and an epoch has steps enough to come from zero (docs/gpu.md).
constexpr std::uint32_t kDeviceBatch = 1024;
constexpr std::uint32_t kClassesPerExample = 2;
constexpr std::size_t kFewestDeviceBatches = 512;
// A narrow proposal scores all classes. Above this number a tree is cheaper, and a low rank
// separates fewer of the classes.
constexpr std::uint32_t kMaxNarrowClasses = 4000;
// From here on weights no longer fit into a cache, and the search that reads the least is the
// fastest. On synthetic data it is as accurate as the beam with 10^5 classes in less than half the
// time, and four points better with 10^6.
constexpr std::uint32_t kManyClasses = 50'000;
constexpr std::uint32_t kFewestEpochsFromZero = 5;

class Resolver {
 public:
  Resolver(const TrainConfig& asked, const DataFacts& facts)
      : resolved_{asked, {}}, facts_(facts) {}

  Resolved resolve() {
    if (config().rank == 0) config().rank = kRank;
    if (config().encoder == EncoderKind::kAuto) choose_encoder();
    if (config().epochs == 0) config().epochs = automatic_epochs();
    resolve_method();
    refuse_options_of_other_trees(config());
    resolve_encoder();
    if (is_online_tree(config())) {
      resolve_noise_terms();
      if (config().l2 == TrainConfig::kAutoDecay) config().l2 = 0.0F;
      check_device_has(config());
      resolve_online_tree(facts_, resolved_);
      config().whiten = WhitenKind::kOff;
      return std::move(resolved_);
    }
    resolve_selector();
    check_device_rows();
    check_shared_list();
    resolve_scorer();
    resolve_noise();
    resolve_noise_terms();
    resolve_learning();
    resolve_sizes();
    if (config().l2 == TrainConfig::kAutoDecay) config().l2 = automatic_decay();
    check_device_has(config());
    return std::move(resolved_);
  }

 private:
  TrainConfig& config() { return resolved_.config; }
  template <typename... Arguments>
  void because(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    resolved_.reasons.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  bool is_on_device() { return trains_on_device(config()); }
  bool tree_is_given() { return config().tree != TrainConfig().tree; }
  const MethodRow& method() { return row_of(config().method); }
  const SelectorRow& selector() { return row_of(config().select); }

  // Rows of classes over the features themselves are what was asked for, or small.
  void choose_encoder() {
    const double weights = static_cast<double>(facts_.classes) * facts_.dimension;
    const bool asks_for_rows = config().start == StartKind::kMeans ||
                               config().scorer == ScorerKind::kPath || is_online_tree(config());
    config().encoder = EncoderKind::kIdentity;
    if (facts_.density >= kDenseFrom || asks_for_rows || weights <= kMostRowWeights) return;
    config().encoder = EncoderKind::kBag;
    because("encoder bag: {} classes over {} features would be {:.2g} weights", facts_.classes,
            facts_.dimension, weights);
  }

  std::uint32_t automatic_epochs() const {
    const bool are_many = facts_.examples >= kManyEncodedExamples;
    return has_encoder(resolved_.config) && are_many ? kEncodedEpochs : kEpochs;
  }

  void resolve_method() {
    if (config().method != Method::kAuto) return;
    const bool asks_for_cane = config().select != SelectorKind::kAuto || config().candidates > 0 ||
                               config().scorer != ScorerKind::kAuto || tree_is_given();
    if (facts_.classes <= few_classes() && !asks_for_cane) {
      config().method = Method::kSoftmax;
      because("method softmax: all of {} classes cost little", facts_.classes);
    } else {
      config().method = Method::kCane;
      because("method cane: it comes near the softmax over {} classes at less cost",
              facts_.classes);
    }
  }

  std::uint32_t few_classes() {
    if (is_on_device()) return has_dense_rows(config(), facts_.density) ? kFewClassesOnDevice : 0;
    if (has_encoder(config())) return kFewEncodedClasses;
    return whitens_as(Method::kSoftmax, SelectorKind::kAuto) ? kFewWhitenedClasses : kFewClasses;
  }

  // A device multiplies matrices only.
  void check_device_rows() {
    if (!is_on_device() || has_dense_rows(config(), facts_.density)) return;
    check_device_has(config());
    throw OptionError("device",
                      fmt::format("{} multiplies dense rows, and these are sparse with {} features",
                                  config().device, facts_.dimension),
                      "use `encoder bag`, or `device cpu`");
  }

  /// The covariance of few rows is mostly chance.
  bool has_rows_to_whiten() const {
    return facts_.examples >= kRowsOfFeature * std::size_t{facts_.dimension};
  }

  /// Whether steps would be whitened with this method and selector.
  bool whitens_as(Method method, SelectorKind select) {
    TrainConfig as = config();
    as.method = method;
    as.select = select;
    return has_rows_to_whiten() && whitens(as, facts_.density);
  }

  /// What the user has given goes with shared lists.
  bool can_share_lists() {
    return config().candidates == 0 && config().beam == 0 && config().reuse <= 1 &&
           config().noise != NoiseKind::kProposal &&
           config().noise_terms != NoiseTerms::kSeparate &&
           facts_.dimension <= kMostDenseFeatures && facts_.classes < kManyClasses;
  }

  void resolve_encoder() {
    const TrainConfig defaults;
    const EncoderRow& encoder = row_of(config().encoder);
    const auto refuse = [&](bool given, const char* option, const char* remedy) {
      if (given) throw OptionError(option, remedy);
    };
    refuse(config().layers != defaults.layers && !encoder.has_hidden_layers, "layers",
           "only the encoder mlp has layers; leave it out, or use `encoder mlp`");
    refuse(config().dropout != defaults.dropout && !encoder.has_hidden_layers, "dropout",
           "only the encoder mlp leaves units out; leave it out, or use `encoder mlp`");
    if (config().start == StartKind::kAuto) config().start = automatic_start();
    if (!encoder.has_layers) {
      refuse(config().dim != defaults.dim, "dim",
             "features are taken as they are; leave it out, or use `encoder bag`");
      return;
    }
    config().start = StartKind::kZero;
    if (config().optimizer == OptimizerKind::kAuto) config().optimizer = OptimizerKind::kAdagrad;
  }

  // Class means are worth a few epochs, and what a selector finds first depends on them. A softmax
  // finds its way from anywhere, and over the many features of texts, of which a class has seen
  // few, the means are too sure: on five texts zero was better by 0.3 points, on none of them much
  // worse.
  StartKind automatic_start() {
    const bool is_long = config().epochs >= kFewestEpochsFromZero;
    const bool is_sparse = !has_dense_rows(config(), facts_.density);
    return method().trains_all_classes && is_sparse && is_long ? StartKind::kZero
                                                               : StartKind::kMeans;
  }

  // Products of matrices need rows that lie together.
  void check_shared_list() {
    if (!shares_lists(config())) return;
    if (!has_encoder(config()) && facts_.dimension > kMostDenseFeatures) {
      throw OptionError("select",
                        fmt::format("{} multiplies dense rows, and {} features are too many",
                                    selector().name, facts_.dimension),
                        "use `encoder bag`, or another selector");
    }
    if (config().candidates > 0 && !selector().shares_frequent) {
      throw OptionError("candidates", fmt::format("{} takes no number of them", selector().name),
                        "give `noises`, or use `select frequent`");
    }
  }

  void resolve_selector() {
    if (!method().has_candidates) {
      if (config().select != SelectorKind::kAuto) {
        throw Error(
            fmt::format("`select {}`: only cane selects candidates; leave it out with `method {}`, "
                        "or use `method cane`",
                        selector().name, method().name));
      }
      return;
    }
    if (config().select != SelectorKind::kAuto) return;
    if (config().scorer == ScorerKind::kPath) {
      config().select = SelectorKind::kBeam;
    } else if (is_on_device()) {
      const bool is_uneven = facts_.frequent_share >= kFrequentShare;
      config().select = is_uneven ? SelectorKind::kFrequent : SelectorKind::kNone;
      because("selector {}: {} trains lists that a batch shares", selector().name, config().device);
    } else if (has_encoder(config())) {
      config().select = SelectorKind::kNone;
      because("selector none: a batch shares many noises over few dimensions");
    } else if (tree_is_given()) {
      config().select = SelectorKind::kTree;
      because("selector tree: a tree is given");
    } else if (can_share_lists() && whitens_as(Method::kCane, SelectorKind::kNone)) {
      config().select = SelectorKind::kNone;
      because("selector none: over dense rows a batch quickly scores noises that it shares");
    } else if (facts_.classes <= kMaxNarrowClasses) {
      config().select = SelectorKind::kNarrow;
      because("selector narrow: a proposal over {} classes is quickly scored", facts_.classes);
    } else if (facts_.classes >= kManyClasses && has_dense_rows(config(), facts_.density)) {
      config().select = SelectorKind::kCentroid;
      because("selector centroid: it reads little even for {} classes", facts_.classes);
    } else {
      config().select = SelectorKind::kBeam;
      because("selector beam: {} classes need a tree", facts_.classes);
    }
  }

  void resolve_scorer() {
    if (has_prior(config())) config().start = StartKind::kZero;
    const FittingScorers fitting = fitting_scorers(config());
    if (config().scorer == ScorerKind::kAuto) {
      config().scorer = fitting == FittingScorers::kPath ? ScorerKind::kPath : ScorerKind::kFlat;
    }
    if (!scorer_fits(config())) refuse_scorer(fitting);
    if (selector().tree != nullptr && !tree_is_given()) config().tree = selector().tree;
    if (tree_is_given() && !uses_tree(config())) {
      throw Error(fmt::format("`tree`: {} uses no tree; leave it out, or use `select tree`",
                              method().has_candidates ? selector().name : method().name));
    }
  }

  [[noreturn]] void refuse_scorer(FittingScorers fitting) {
    if (fitting == FittingScorers::kPath) {
      throw Error(
          method().has_candidates
              ? fmt::format(
                    "`scorer flat`: the selector {} goes by the nodes of a tree, which flat "
                    "rows do not have; use `scorer path`, or `select tree`",
                    selector().name)
              : fmt::format("`scorer flat`: {} scores the nodes of a tree; use `scorer path`",
                            method().name));
    }
    throw Error(
        method().has_candidates
            ? fmt::format(
                  "`scorer path`: a {} needs a weight vector for every class; use `scorer flat`, "
                  "or `select beam` for path sums",
                  selector().name)
            : fmt::format(
                  "`scorer path`: {} has a weight vector for every class; use `scorer flat`, or "
                  "`method hsm` for a tree",
                  method().name));
  }

  void resolve_noise() {
    const NoiseKind asked = config().noise;
    if (!method().has_noises()) {
      if (asked == NoiseKind::kAuto) return;
      throw Error(fmt::format("`noise {}`: {} draws no noises; leave it out", name_of(asked),
                              method().name));
    }
    const bool has_proposal = uses_proposal(config());
    if (asked == NoiseKind::kAuto) {
      const NoiseKind wanted = shares_lists(config()) ? NoiseKind::kUnigram : method().noise;
      config().noise = row_of(wanted).is_proposal && !has_proposal ? NoiseKind::kUniform : wanted;
      return;
    }
    if (asked != NoiseKind::kUniform && method().takes_uniform_noise_only) {
      throw Error(fmt::format("`noise {}`: {} stands for all rivals alike; use `noise uniform`",
                              name_of(asked), method().name));
    }
    if (row_of(asked).is_proposal && !has_proposal) {
      throw Error(fmt::format(
          "`noise {}`: only the selectors {} of cane have one; use `select narrow`, or "
          "`noise unigram`",
          name_of(asked),
          names_where(kSelectors, [](const SelectorRow& row) { return row.has_proposal; })));
    }
  }

  void resolve_noise_terms() {
    if (config().noise_terms == NoiseTerms::kAuto) {
      config().noise_terms = shares_lists(config()) ? NoiseTerms::kPooled : NoiseTerms::kSeparate;
      return;
    }
    const bool pools = config().noise_terms == NoiseTerms::kPooled;
    if (pools && !(method().has_candidates && method().has_noises())) {
      throw OptionError("noise_terms", fmt::format("{} pools no noises", method().name),
                        "leave it out, or use `method cane`");
    }
    if (!pools && shares_lists(config())) {
      throw OptionError("noise_terms", "noises that a batch shares are pooled", "leave it out");
    }
  }

  void resolve_sizes() {
    if (!method().has_candidates && config().candidates > 0) {
      throw OptionError("candidates", fmt::format("{} has no candidates", method().name),
                        method().has_noises() ? "give `noises`" : "leave it out");
    }
    if (!method().has_noises() && config().noises > 0) {
      throw OptionError("noises", fmt::format("{} draws none", method().name), "leave it out");
    }
    if (config().noises == 0 && method().has_noises()) {
      config().noises = shares_lists(config())    ? automatic_slots()
                        : method().has_candidates ? kNoisesOfCane
                                                  : kRivals;
    }
    if (method().has_candidates) {
      if (config().candidates == 0) config().candidates = selector().candidates;
      if (selector().takes_all_classes) config().candidates = facts_.classes;
      if (config().candidates > facts_.classes) {
        config().candidates = facts_.classes;
        because("all {} classes are candidates", facts_.classes);
      }
    }
    if (config().beam == 0) {
      config().beam =
          finds_candidates(config()) ? config().candidates * selector().beam_per_candidate : kBeam;
    }
    if (finds_candidates(config()) && config().beam < config().candidates) {
      throw Error(fmt::format("`beam {}`: it must not be below the {} candidates", config().beam,
                              config().candidates));
    }
    config().beam = std::min(config().beam, facts_.classes);
    resolve_reuse();
  }

  void resolve_reuse() {
    const bool can_remember = method().has_candidates && selector().can_be_remembered;
    if (config().reuse > 1 && !can_remember) {
      throw Error(fmt::format(
          "`reuse {}`: only the selectors {} are remembered; leave it out, or use `method cane` "
          "`select tree`",
          config().reuse,
          names_where(kSelectors, [](const SelectorRow& row) { return row.can_be_remembered; })));
    }
    if (config().reuse == 0) {
      const bool pays =
          can_remember && config().epochs >= kEpochsForReuse && facts_.classes >= kClassesForReuse;
      config().reuse = pays && !config().deterministic ? kReuse : 1;
    }
  }

  void resolve_learning() {
    if (config().optimizer == OptimizerKind::kAuto) config().optimizer = OptimizerKind::kSgd;
    if (config().batch == 0) config().batch = automatic_batch();
    if (!has_rows_to_whiten() || !whitens(config(), facts_.density)) {
      config().whiten = WhitenKind::kOff;
    }
  }

  float automatic_decay() {
    if (!has_encoder(config())) return 0.0F;
    if (!shares_lists(config())) return method().trains_all_classes ? kEncodedDecay : 0.0F;
    const auto listed = static_cast<float>(config().noises);
    return kEncodedDecay * std::max(1.0F, static_cast<float>(facts_.classes) / listed);
  }

  std::uint32_t automatic_slots() {
    if (is_on_device()) return std::clamp(kSlotsPerExample * config().batch, kSlots, kMostSlots);
    const bool are_cheap = has_encoder(config()) && facts_.classes >= 4 * kEncodedSlots;
    return are_cheap ? kEncodedSlots : kSlots;
  }

  std::uint32_t automatic_batch() {
    const std::uint32_t usual = usual_batch(config(), facts_.density);
    if (is_on_device()) {
      const auto most = static_cast<std::uint32_t>(
          std::min<std::size_t>({kDeviceBatch, facts_.classes / kClassesPerExample,
                                 facts_.examples / kFewestDeviceBatches}));
      if (most > usual) return most;
    }
    const bool are_few = facts_.examples > 0 && facts_.examples < kFewestBatches * usual;
    const auto fewer = static_cast<std::uint32_t>(facts_.examples / kFewestBatches);
    return are_few ? std::max(1U, fewer) : usual;
  }

  Resolved resolved_;
  const DataFacts& facts_;
};

}  // namespace

Resolved resolve(const TrainConfig& asked, const DataFacts& facts) {
  return Resolver(asked, facts).resolve();
}

std::uint32_t usual_batch(const TrainConfig& config, double density) {
  const bool multiplies =
      row_of(config.method).trains_all_classes && has_dense_rows(config, density);
  if (shares_lists(config)) return kSharingBatch;
  return multiplies ? kMatrixBatch : kBatch;
}

TrainConfig with_choices_of(const TrainConfig& chosen, TrainConfig asked) {
  const auto take = [](auto& value, auto found, decltype(found) open) {
    if (value == open) value = found;
  };
  take(asked.method, chosen.method, Method::kAuto);
  take(asked.rank, chosen.rank, 0U);
  take(asked.start, chosen.start, StartKind::kAuto);
  take(asked.whiten, chosen.whiten, WhitenKind::kAuto);
  take(asked.lr, chosen.lr, 0.0F);
  if (asked.method != chosen.method) return asked;
  const MethodRow& method = row_of(asked.method);
  take(asked.select, chosen.select, SelectorKind::kAuto);
  take(asked.reuse, chosen.reuse, 0U);
  if (method.has_candidates || method.has_node_candidates) {
    take(asked.candidates, chosen.candidates, 0U);
  }
  take(asked.nodes, chosen.nodes, 0U);
  if (method.has_noises()) {
    take(asked.noises, chosen.noises, 0U);
    take(asked.noise_terms, chosen.noise_terms, NoiseTerms::kAuto);
  }
  return asked;
}

}  // namespace cane
