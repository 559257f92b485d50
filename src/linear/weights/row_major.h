// Tables of weights as plain rows, and back, for learners that know no blocks. A row belongs to a
// class, or in a tree to a node: the weights of its column of a block, the bias last. The root of a
// tree has no weights; its row is zero. In a table of embeddings, which is one block, a row belongs
// to a feature. AdaGrad keeps one sum for each feature of a block, and a learner with rows one for
// each weight: on the way to rows all columns of a block get its sum, on the way back it is the sum
// of theirs, which is what it would have been.
#pragma once

#include <cstdint>

#include "core/base/thread_pool.h"
#include "core/tree/class_tree.h"
#include "linear/weights/block_layout.h"

namespace cane {

/// The rows of a table of classes (`tree` is null) or nodes. The layout must outlive it, and so
/// must the tree.
class RowMajor {
 public:
  RowMajor(const BlockLayout& layout, std::uint32_t classes, const ClassTree* tree)
      : layout_(layout), tree_(tree), rows_(tree != nullptr ? tree->node_count() : classes) {}

  std::uint32_t rows() const { return rows_; }
  std::size_t columns() const { return std::size_t{layout_.dimension()} + 1; }
  std::size_t size() const { return rows_ * columns(); }

  void weights_to_rows(const float* blocks, float* rows, ThreadPool& pool) const;
  void weights_to_blocks(const float* rows, float* blocks, ThreadPool& pool) const;
  void sums_to_rows(const float* blocks, float* rows) const;
  void sums_to_blocks(const float* rows, float* blocks) const;
  /// Whether sums have one row for each block, so that nothing is lost on the way back.
  bool keeps_sums() const { return tree_ == nullptr && layout_.is_row_major(); }

 private:
  struct Place {
    NodeId block;
    std::uint32_t column;
  };
  Place place_of(std::uint32_t row) const;
  bool has_weights(std::uint32_t row) const { return tree_ == nullptr || row > 0; }

  const BlockLayout& layout_;
  const ClassTree* tree_;
  std::uint32_t rows_;
};

/// The rows of a table of embeddings with `columns` dimensions: dimension + 1 of them.
void embeddings_to_rows(const BlockLayout& layout, std::uint32_t columns, const float* block,
                        float* rows);
void embeddings_to_block(const BlockLayout& layout, std::uint32_t columns, const float* rows,
                         float* block);

}  // namespace cane
