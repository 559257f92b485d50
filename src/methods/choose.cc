#include "methods/choose.h"

#include <fmt/format.h>

#include <algorithm>

#include "cane/error.h"
#include "cane/names.h"
#include "linear/weights/parameter_table.h"
#include "methods/choose_online_tree.h"
#include "train/clusters/rebuild_tree.h"

namespace cane {
namespace {

constexpr std::uint32_t kCandidates = 9;
constexpr std::uint32_t kNoises = 1;
// Of the methods that set the label against noises.
constexpr std::uint32_t kRivals = 10;
// What a proposal hands over is cheap to score again, and its order is only roughly right.
constexpr std::uint32_t kProposedPerCandidate = 3;
// What competes for an example changes slowly; with fewer epochs than this it does not pay.
constexpr std::uint32_t kReuse = 5;
constexpr std::uint32_t kEpochsForReuse = 5;
constexpr std::uint32_t kClassesForReuse = 500;
// So many classes are scored about as fast as candidates are found.
constexpr std::uint32_t kFewClasses = 200;
// The search of a hierarchical softmax; and how many classes an exhaustive one keeps.
constexpr std::uint32_t kBeam = 9;
constexpr std::uint32_t kBatch = 16;
// A matrix product wants more examples, and few classes of an example meet in a batch.
constexpr std::uint32_t kMatrixBatch = 64;
// All scores of a narrow proposal are computed; beyond this a tree is cheaper, and a low rank tells
// fewer of the classes apart.
constexpr std::uint32_t kMaxNarrowClasses = 4000;

bool has_candidates(Method method) {
  return method == Method::kCane;
}
bool has_noises(Method method) {
  return method != Method::kSoftmax && method != Method::kHsm;
}

class Chooser {
 public:
  Chooser(const TrainConfig& asked, const DataFacts& facts) : choice_{asked, {}}, facts_(facts) {}

  Choice choose() {
    choose_method();
    refuse_options_of_other_trees(config());
    choose_encoder();
    if (is_online_tree(config())) {
      choose_online_tree(facts_, choice_);
      return std::move(choice_);
    }
    choose_selector();
    choose_scorer();
    choose_noise();
    choose_sizes();
    choose_learning();
    return std::move(choice_);
  }

 private:
  TrainConfig& config() { return choice_.config; }
  template <typename... Arguments>
  void because(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    choice_.reasons.push_back(fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  bool tree_is_given() { return config().tree != TrainConfig().tree; }
  const char* method() { return name_of(config().method); }
  const char* select() { return name_of(config().select); }

  void choose_method() {
    if (config().method != Method::kAuto) return;
    const bool asks_for_cane = config().select != SelectorKind::kAuto || config().candidates > 0 ||
                               config().scorer != ScorerKind::kAuto || tree_is_given();
    if (facts_.classes <= kFewClasses && !asks_for_cane) {
      config().method = Method::kSoftmax;
      because("method softmax: all of {} classes cost little", facts_.classes);
    } else if (config().encoder != EncoderKind::kIdentity && !asks_for_cane) {
      config().method = Method::kHsm;
      because("method hsm: nodes of a tree learn from every example while the representation does");
    } else {
      config().method = Method::kCane;
      because("method cane: it comes near the softmax over {} classes at less cost",
              facts_.classes);
    }
  }

  void choose_encoder() {
    const TrainConfig defaults;
    const bool is_mlp = config().encoder == EncoderKind::kMlp;
    const auto refuse = [&](bool given, const char* option, const char* remedy) {
      if (given) throw Error(fmt::format("--{}: {}", option, remedy));
    };
    refuse(config().layers != defaults.layers && !is_mlp, "layers",
           "only the encoder mlp has layers; leave it out, or use --encoder mlp");
    refuse(config().dropout != defaults.dropout && !is_mlp, "dropout",
           "only the encoder mlp leaves units out; leave it out, or use --encoder mlp");
    if (config().encoder == EncoderKind::kIdentity) {
      refuse(config().dim != defaults.dim, "dim",
             "features are taken as they are; leave it out, or use --encoder bag");
      return;
    }
    config().start = StartKind::kZero;
    if (config().optimizer == OptimizerKind::kAuto) config().optimizer = OptimizerKind::kAdagrad;
  }

  void choose_selector() {
    if (config().method != Method::kCane) {
      if (config().select != SelectorKind::kAuto) {
        throw Error(
            fmt::format("--select {}: only cane selects candidates; leave it out with --method {}, "
                        "or use --method cane",
                        select(), method()));
      }
      return;
    }
    if (config().select != SelectorKind::kAuto) return;
    if (config().scorer == ScorerKind::kPath) {
      config().select = SelectorKind::kBeam;
    } else if (tree_is_given()) {
      config().select = SelectorKind::kTree;
      because("selector tree: a tree is given");
    } else if (facts_.classes <= kMaxNarrowClasses) {
      config().select = SelectorKind::kNarrow;
      because("selector narrow: a proposal over {} classes is quickly scored", facts_.classes);
    } else {
      config().select = SelectorKind::kBeam;
      because("selector beam: {} classes need a tree", facts_.classes);
    }
  }

  void choose_scorer() {
    const bool needs_path = config().method == Method::kHsm ||
                            config().select == SelectorKind::kBeam ||
                            config().select == SelectorKind::kFrequency;
    if (config().scorer == ScorerKind::kAuto) {
      config().scorer = needs_path ? ScorerKind::kPath : ScorerKind::kFlat;
    }
    if (needs_path && config().scorer != ScorerKind::kPath) {
      throw Error(
          config().method == Method::kHsm
              ? std::string("--scorer flat: hsm scores the nodes of a tree; use --scorer path")
              : fmt::format(
                    "--scorer flat: the selector {} goes by the nodes of a tree, which flat "
                    "rows do not have; use --scorer path, or --select tree",
                    select()));
    }
    if (!needs_path && config().scorer == ScorerKind::kPath) {
      if (config().method != Method::kCane) {
        throw Error(
            fmt::format("--scorer path: {} has a weight vector for every class; use --scorer flat, "
                        "or --method hsm for a tree",
                        method()));
      }
      if (config().select == SelectorKind::kGraph) {
        throw Error(
            "--scorer path: a graph needs a weight vector for every class; use --scorer flat, or "
            "--select beam for path sums");
      }
    }
    if (config().select == SelectorKind::kFrequency && !tree_is_given())
      config().tree = "frequency";
    if (tree_is_given() && !uses_tree(config())) {
      throw Error(fmt::format("--tree: {} uses no tree; leave it out, or use --select tree",
                              config().method == Method::kCane ? select() : method()));
    }
    if (config().rebuild_tree > 0 && !can_rebuild_tree(config())) {
      throw Error(
          "--rebuild-tree: it takes a clustered tree and scores that can move to another: use "
          "--method cane with --select beam or tree, or leave it out");
    }
  }

  void choose_noise() {
    const bool has_proposal =
        config().method == Method::kCane &&
        (config().select == SelectorKind::kNarrow || config().select == SelectorKind::kTree);
    if (!has_noises(config().method)) {
      if (config().noise == NoiseKind::kAuto) return;
      throw Error(fmt::format("--noise {}: {} draws no noises; leave it out",
                              name_of(config().noise), method()));
    }
    if (config().noise == NoiseKind::kAuto) {
      switch (config().method) {
        case Method::kNce:
        case Method::kNeg:
        case Method::kBlackout:
          config().noise = NoiseKind::kUnigram;
          break;
        default:
          config().noise = has_proposal ? NoiseKind::kProposal : NoiseKind::kUniform;
      }
      return;
    }
    if (config().noise != NoiseKind::kUniform &&
        (config().method == Method::kOve || config().method == Method::kCss)) {
      throw Error(fmt::format("--noise {}: {} stands for all rivals alike; use --noise uniform",
                              name_of(config().noise), method()));
    }
    if (config().noise == NoiseKind::kProposal && !has_proposal) {
      throw Error(
          "--noise proposal: only the selectors narrow and tree of cane have one; use --select "
          "narrow, or --noise unigram");
    }
  }

  void choose_sizes() {
    if (!has_candidates(config().method) && config().candidates > 0) {
      throw Error(fmt::format("--candidates: {} has no candidates; {}", method(),
                              has_noises(config().method) ? "give --noises" : "leave it out"));
    }
    if (!has_noises(config().method) && config().noises > 0) {
      throw Error(fmt::format("--noises: {} draws none; leave it out", method()));
    }
    if (config().noises == 0 && has_noises(config().method)) {
      config().noises = has_candidates(config().method) ? kNoises : kRivals;
    }
    if (has_candidates(config().method)) {
      if (config().candidates == 0) config().candidates = kCandidates;
      if (config().select == SelectorKind::kAll) config().candidates = facts_.classes;
      if (config().candidates > facts_.classes) {
        config().candidates = facts_.classes;
        because("all {} classes are candidates", facts_.classes);
      }
    }
    if (config().beam == 0) {
      const bool proposed = config().select == SelectorKind::kNarrow ||
                            config().select == SelectorKind::kTree ||
                            config().select == SelectorKind::kGraph;
      config().beam = has_candidates(config().method)
                          ? config().candidates * (proposed ? kProposedPerCandidate : 1)
                          : kBeam;
    }
    if (config().beam < config().candidates) {
      throw Error(fmt::format("--beam {}: it must not be below the {} candidates", config().beam,
                              config().candidates));
    }
    config().beam = std::min(config().beam, facts_.classes);
    choose_reuse();
  }

  void choose_reuse() {
    const bool can_remember =
        config().method == Method::kCane &&
        (config().select == SelectorKind::kNarrow || config().select == SelectorKind::kTree ||
         config().select == SelectorKind::kGraph || config().select == SelectorKind::kExact);
    if (config().reuse > 1 && !can_remember) {
      throw Error(fmt::format(
          "--reuse {}: only the selectors narrow, tree, graph and exact are remembered; "
          "leave it out, or use --method cane --select tree",
          config().reuse));
    }
    if (config().reuse == 0) {
      const bool pays =
          can_remember && config().epochs >= kEpochsForReuse && facts_.classes >= kClassesForReuse;
      config().reuse = pays && !config().deterministic ? kReuse : 1;
    }
  }

  void choose_learning() {
    if (config().optimizer == OptimizerKind::kAuto) config().optimizer = OptimizerKind::kSgd;
    if (config().batch == 0) {
      config().batch =
          config().method == Method::kSoftmax && flat_width(config(), facts_.density) == kRowWidth
              ? kMatrixBatch
              : kBatch;
    }
  }

  Choice choice_;
  const DataFacts& facts_;
};

}  // namespace

DataFacts facts_of(const DatasetView& data, std::uint32_t classes) {
  return {classes, data.dimension(), data.size(), data.density()};
}

Choice choose(const TrainConfig& asked, const DataFacts& facts) {
  return Chooser(asked, facts).choose();
}

}  // namespace cane
