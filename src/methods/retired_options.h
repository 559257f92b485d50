// Options that files of earlier versions hold and that TrainConfig no longer has. Only these names
// are read, anything else unknown is an error, and the programs refuse them with the text of their
// row.
#pragma once

#include <cstdint>

#include "cane/config.h"
#include "cane/field.h"

namespace cane {

struct RetiredOptions {
  /// The tree was rebuilt after this many epochs; 0: never. A training that did cannot go on.
  std::uint32_t rebuild_tree = 0;
  /// recall-tree: now the candidates, and the nodes of the full tree of this depth.
  std::uint32_t max_candidates = 0;
  std::uint32_t max_depth = kNoDepth;
  static constexpr std::uint32_t kNoDepth = 0xFFFFFFFF;
  /// recall-tree: factor of the error of its recall estimates; 1 for every new model.
  float bernoulli = 1.0F;
};

template <MaybeConst<RetiredOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("rebuild_tree", "", "removed in cane 0.2; leave it out"), options.rebuild_tree);
  visit(Field("max_candidates", "", "removed in cane 0.2; use `candidates`"),
        options.max_candidates);
  visit(Field("max_depth", "", "removed in cane 0.2; use `nodes`", at_most(30))
            .or_auto(RetiredOptions::kNoDepth),
        options.max_depth);
  visit(Field("bernoulli", "", "removed in cane 0.2; leave it out", at_least(0)),
        options.bernoulli);
}

/// Moves to the configuration what it expresses by other options now. Keeps what a prediction
/// depends on, which files go on to hold.
void adopt(RetiredOptions& retired, TrainConfig& config);

}  // namespace cane
