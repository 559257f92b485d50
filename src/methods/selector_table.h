// The table of selectors, which find the candidates for the methods that use them. To add a
// selector, add a class in search/, a case in engine/parts and a row here.
#pragma once

#include <array>
#include <cstdint>

#include "cane/config.h"
#include "methods/rows.h"

namespace cane {

struct SelectorRow {
  SelectorKind kind = SelectorKind::kAuto;
  const char* name = "";
  const char* summary = "";

  FittingScorers scorers = FittingScorers::kBoth;
  /// It has its own cheap model, trained jointly with the classes, which can also draw noises.
  bool has_proposal = false;
  /// The proposal descends the class tree; if false, it scores all classes.
  bool proposes_by_tree = false;
  /// The proposal is a prior: it sees all that the classes see, trains the encoder together with
  /// them, and its log-probability is part of every score. If false, it has its own projection to a
  /// few dimensions, and is not part of the model's scores.
  bool proposal_is_prior = false;
  /// The candidates found for an example can be reused in later epochs.
  bool can_be_remembered = false;
  /// The learners of src/device have it; if false, it is used on the processor only.
  bool trains_on_device = false;
  /// Number of candidates if the user names none.
  std::uint32_t candidates = 9;
  /// Number of classes examined per candidate: cheap searches order classes only roughly.
  std::uint32_t beam_per_candidate = 1;
  /// It scores every class, in prediction as well.
  bool is_exhaustive = false;
  /// Every class is a candidate.
  bool takes_all_classes = false;
  /// Floats that a worker stores per class and example.
  std::uint32_t floats_per_class = 0;
  /// It maintains an index, a vector for every node of the class tree, and needs dense rows.
  bool indexes_tree = false;
  /// Automatic learning rate over the output of an encoder; 0: that of the method.
  float encoded_rate = 0.0F;
  /// A batch lists classes for all its examples together, the candidates that they share and noises
  /// in slots; needs dense rows, and looks at all classes in prediction.
  bool is_shared = false;
  /// Of a shared list: the candidates are the labels of the batch.
  bool shares_labels = false;
  /// Of a shared list: the candidates are the most frequent classes.
  bool shares_frequent = false;
  /// The tree used if the user names none; null: the common default.
  const char* tree = nullptr;
};

inline constexpr std::array kSelectors = {
    SelectorRow{.kind = SelectorKind::kAuto,
                .name = "auto",
                .summary = "chosen to fit the scorer, the tree and the number of classes"},
    SelectorRow{.kind = SelectorKind::kBeam,
                .name = "beam",
                .summary = "a beam search down the tree of the path scorer",
                .scorers = FittingScorers::kPath},
    SelectorRow{.kind = SelectorKind::kNarrow,
                .name = "narrow",
                .summary = "all classes scored in a few dimensions",
                .has_proposal = true,
                .can_be_remembered = true,
                .beam_per_candidate = 3,
                .floats_per_class = 1},
    SelectorRow{.kind = SelectorKind::kTree,
                .name = "tree",
                .summary = "a beam search down a tree scored in a few dimensions",
                .has_proposal = true,
                .proposes_by_tree = true,
                .can_be_remembered = true,
                .beam_per_candidate = 3},
    SelectorRow{.kind = SelectorKind::kExact,
                .name = "exact",
                .summary = "the best of all classes, for comparison",
                .can_be_remembered = true,
                .is_exhaustive = true,
                .floats_per_class = 1},
    SelectorRow{.kind = SelectorKind::kAll,
                .name = "all",
                .summary = "all classes, which makes it the softmax",
                .is_exhaustive = true,
                .takes_all_classes = true,
                .floats_per_class = 4},
    SelectorRow{.kind = SelectorKind::kHsm,
                .name = "hsm",
                .summary = "a hierarchical softmax over the same inputs, the prior of all scores",
                .scorers = FittingScorers::kFlat,
                .has_proposal = true,
                .proposes_by_tree = true,
                .proposal_is_prior = true,
                .candidates = 20,
                .encoded_rate = 0.5F},
    SelectorRow{.kind = SelectorKind::kCentroid,
                .name = "centroid",
                .summary = "a search down a tree of mean class vectors in 8 bits",
                .scorers = FittingScorers::kFlat,
                .can_be_remembered = true,
                .beam_per_candidate = 3,
                .indexes_tree = true,
                .tree = "kmeans"},
    SelectorRow{.kind = SelectorKind::kNone,
                .name = "none",
                .summary = "no candidates: noises that all examples of a batch share",
                .scorers = FittingScorers::kFlat,
                .trains_on_device = true,
                .candidates = 0,
                .encoded_rate = 0.1F,
                .is_shared = true},
    SelectorRow{.kind = SelectorKind::kFrequent,
                .name = "frequent",
                .summary = "the most frequent classes, beside noises that a batch shares",
                .scorers = FittingScorers::kFlat,
                .trains_on_device = true,
                .candidates = 1000,
                .encoded_rate = 0.1F,
                .is_shared = true,
                .shares_frequent = true},
    SelectorRow{.kind = SelectorKind::kBatch,
                .name = "batch",
                .summary = "the labels of the other examples of a batch, beside noises it shares",
                .scorers = FittingScorers::kFlat,
                .trains_on_device = true,
                .candidates = 0,
                .encoded_rate = 0.1F,
                .is_shared = true,
                .shares_labels = true}};
static_assert(is_in_order(kSelectors));

constexpr const SelectorRow& row_of(SelectorKind selector) {
  return row_at(kSelectors, selector);
}

}  // namespace cane
