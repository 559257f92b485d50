// The weight vector of every class of a model in a separate table: the rows of a flat model, or the
// path sums of a tree, in the layout that a benchmark compares with.
#pragma once

#include <cassert>

#include "cane/config.h"
#include "core/base/buffer.h"
#include "linear/scorers/flat_scorer.h"
#include "model/model_data.h"

namespace cane::bench {

class FlatRows {
 public:
  /// `width`: classes in a block (linear/weights/block_layout.h). The scores of a hierarchical
  /// softmax are not products with a vector, so such a model has no flat rows.
  FlatRows(const ModelData& model, const float* weights, std::uint32_t width)
      : classes_(static_cast<std::uint32_t>(model.vocabulary.labels.size())),
        layout_(BlockLayout::flat(classes_, width, model.tables[kClassTable].layout.dimension())),
        weights_(layout_.size()) {
    assert(model.config.method != Method::kHsm);
    const BlockLayout& from = model.tables[kClassTable].layout;
    for (ClassId k = 0; k < classes_; ++k) {
      if (model.config.scorer == ScorerKind::kPath) {
        const ClassTree& tree = model.tree;
        for (NodeId node = tree.leaf_of(k); node != 0; node = tree.parent(node)) {
          const NodeId parent = tree.parent(node);
          add(k, from, parent, weights + from.offset(parent) + (node - tree.first_child(parent)));
        }
      } else {
        const std::uint32_t own = from.widest_stride();
        add(k, from, k / own, weights + from.offset(k / own) + k % own);
      }
    }
  }

  FlatScorer scorer() const { return {classes_, layout_, weights_.data()}; }

  /// Weight `feature` of a class, the bias after the last feature.
  float weight(ClassId k, std::size_t feature) const { return weights_.data()[place(k, feature)]; }

 private:
  std::size_t place(ClassId k, std::size_t feature) const {
    const std::uint32_t width = layout_.widest_stride();
    return layout_.offset(k / width) + feature * width + k % width;
  }
  void add(ClassId k, const BlockLayout& from, NodeId node, const float* edge) {
    for (std::size_t i = 0; i <= layout_.dimension(); ++i) {
      weights_.data()[place(k, i)] += edge[i * from.shape(node).stride];
    }
  }

  std::uint32_t classes_;
  BlockLayout layout_;
  AlignedBuffer<float> weights_;
};

}  // namespace cane::bench
