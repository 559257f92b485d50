// The table of selectors: how the candidates of a method that has some are found. A selector is a
// class in search/, a case of engine/parts and a row here.
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
  /// It has a cheap model of its own, learned with the classes, which can draw noises as well.
  bool has_proposal = false;
  /// The proposal goes down the tree of the classes; without: it scores all classes.
  bool proposes_by_tree = false;
  /// What it found for an example can be used again in later epochs.
  bool can_be_remembered = false;
  /// Classes that it looks at for each candidate: what is cheap to find is only roughly in order.
  std::uint32_t beam_per_candidate = 1;
  /// It scores every class, and so does prediction.
  bool is_exhaustive = false;
  /// Every class is a candidate.
  bool takes_all_classes = false;
  /// The floats that a worker keeps for each class of an example.
  std::uint32_t floats_per_class = 0;
  /// It keeps an index over the class vectors, and takes rows spread out.
  bool has_index = false;
  /// The tree must have one layer of subsets.
  bool needs_one_layer = false;
  /// The tree if the user names none; null: as for all others.
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
    SelectorRow{.kind = SelectorKind::kGraph,
                .name = "graph",
                .summary = "a graph of neighbours among the class vectors",
                .scorers = FittingScorers::kFlat,
                .can_be_remembered = true,
                .beam_per_candidate = 3,
                .has_index = true},
    SelectorRow{.kind = SelectorKind::kFrequency,
                .name = "frequency",
                .summary = "the best subset of classes of similar frequency",
                .scorers = FittingScorers::kPath,
                .needs_one_layer = true,
                .tree = "frequency"},
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
                .floats_per_class = 4}};
static_assert(is_in_order(kSelectors));

constexpr const SelectorRow& row_of(SelectorKind selector) {
  return row_at(kSelectors, selector);
}

}  // namespace cane
