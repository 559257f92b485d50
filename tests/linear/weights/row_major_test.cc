#include "linear/weights/row_major.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/tree/balanced_tree.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr FeatureId kDimension = 5;

std::vector<float> counted(std::size_t size, float first = 1.0F) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// A weight of a block by its definition: block-wise, feature-major.
float weight(const BlockLayout& layout, const std::vector<float>& blocks, NodeId block,
             std::uint32_t column, std::size_t feature) {
  return blocks[layout.offset(block) + feature * layout.shape(block).stride + column];
}

TEST(RowMajor, HasARowForEveryClassOfAFlatTable) {
  ThreadPool pool(2);
  for (const std::uint32_t width : {1U, 16U, 64U}) {
    const std::uint32_t classes = 2000;
    const BlockLayout layout = BlockLayout::flat(classes, width, kDimension);
    const RowMajor rows(layout, classes, nullptr);
    const std::vector<float> blocks = counted(layout.size());
    std::vector<float> values(rows.size());
    rows.weights_to_rows(blocks.data(), values.data(), pool);
    for (std::uint32_t k = 0; k < classes; ++k) {
      for (std::size_t f = 0; f <= kDimension; ++f) {
        ASSERT_EQ(values[k * (kDimension + 1) + f],
                  weight(layout, blocks, k / width, k % width, f));
      }
    }
    std::vector<float> back(layout.size(), 0.0F);
    rows.weights_to_blocks(values.data(), back.data(), pool);
    std::vector<float> again(rows.size());
    rows.weights_to_rows(back.data(), again.data(), pool);
    EXPECT_EQ(again, values);
  }
}

TEST(RowMajor, LeavesThePaddingOfABlockAlone) {
  ThreadPool pool(1);
  const BlockLayout layout = BlockLayout::flat(17, 16, kDimension);
  const RowMajor rows(layout, 17, nullptr);
  const std::vector<float> values = counted(rows.size());
  std::vector<float> blocks(layout.size(), 0.0F);
  rows.weights_to_blocks(values.data(), blocks.data(), pool);
  for (std::size_t f = 0; f <= kDimension; ++f) {
    for (std::uint32_t column = 1; column < 16; ++column) {
      ASSERT_EQ(weight(layout, blocks, 1, column, f), 0.0F);
    }
  }
}

TEST(RowMajor, HasARowForEveryNodeOfATree) {
  ThreadPool pool(2);
  const ClassTree tree = balanced_tree(class_order(23), 4);
  const BlockLayout layout(tree, kDimension);
  const RowMajor rows(layout, 23, &tree);
  EXPECT_EQ(rows.rows(), tree.node_count());
  EXPECT_FALSE(rows.keeps_sums());
  const std::vector<float> blocks = counted(layout.size());
  std::vector<float> values(rows.size());
  rows.weights_to_rows(blocks.data(), values.data(), pool);
  for (std::size_t f = 0; f <= kDimension; ++f) EXPECT_EQ(values[f], 0.0F) << "the root has none";
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    const NodeId parent = tree.parent(node);
    for (std::size_t f = 0; f <= kDimension; ++f) {
      ASSERT_EQ(values[node * (kDimension + 1) + f],
                weight(layout, blocks, parent, node - tree.first_child(parent), f));
    }
  }
  std::vector<float> back(layout.size(), 0.0F);
  rows.weights_to_blocks(values.data(), back.data(), pool);
  std::vector<float> again(rows.size());
  rows.weights_to_rows(back.data(), again.data(), pool);
  EXPECT_EQ(again, values);
}

TEST(RowMajor, AddsTheSumsOfTheColumnsOfABlock) {
  const ClassTree tree = balanced_tree(class_order(7), 3);
  const BlockLayout layout(tree, kDimension);
  const RowMajor rows(layout, 7, &tree);
  const std::vector<float> sums = counted(rows.size());
  std::vector<float> blocks(layout.node_bound() * rows.columns());
  rows.sums_to_blocks(sums.data(), blocks.data());
  for (NodeId node = 0; node < layout.node_bound(); ++node) {
    for (std::size_t f = 0; f < rows.columns(); ++f) {
      float expected = 0.0F;
      for (std::uint32_t child = 0; child < tree.child_count(node); ++child) {
        expected += sums[(tree.first_child(node) + child) * rows.columns() + f];
      }
      ASSERT_EQ(blocks[node * rows.columns() + f], expected);
    }
  }
  std::vector<float> back(rows.size());
  rows.sums_to_rows(blocks.data(), back.data());
  for (NodeId node = 1; node < tree.node_count(); ++node) {
    EXPECT_EQ(back[node * rows.columns()], blocks[tree.parent(node) * rows.columns()]);
  }
}

TEST(RowMajor, KeepsTheSumsOfATableWithARowForEachClass) {
  const BlockLayout layout = BlockLayout::flat(9, 1, kDimension);
  const RowMajor rows(layout, 9, nullptr);
  EXPECT_TRUE(rows.keeps_sums());
  const std::vector<float> sums = counted(rows.size());
  std::vector<float> blocks(rows.size());
  std::vector<float> back(rows.size());
  rows.sums_to_blocks(sums.data(), blocks.data());
  rows.sums_to_rows(blocks.data(), back.data());
  EXPECT_EQ(back, sums);
}

TEST(RowMajor, HasARowForEveryFeatureOfEmbeddings) {
  constexpr std::uint32_t kColumns = 6;
  const BlockLayout layout = BlockLayout::flat(kColumns, block_stride(kColumns), kDimension);
  const std::vector<float> block = counted(layout.size());
  std::vector<float> rows((kDimension + 1) * kColumns);
  embeddings_to_rows(layout, kColumns, block.data(), rows.data());
  for (std::size_t f = 0; f <= kDimension; ++f) {
    for (std::uint32_t c = 0; c < kColumns; ++c) {
      EXPECT_EQ(rows[f * kColumns + c], weight(layout, block, 0, c, f));
    }
  }
  std::vector<float> back(layout.size(), 0.0F);
  std::vector<float> again(rows.size());
  embeddings_to_block(layout, kColumns, rows.data(), back.data());
  embeddings_to_rows(layout, kColumns, back.data(), again.data());
  EXPECT_EQ(again, rows);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
