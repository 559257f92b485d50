#include "cane/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "cane/error.h"
#include "core/tree/balanced_tree.h"
#include "core/tree/class_tree.h"
#include "data/loaded_data.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::TemporaryFolder;

// A class in each corner of a square, two examples each.
Dataset four_corners() {
  struct Storage {
    std::vector<float> values = {0, 0, 5, 5, 0, 1, 5, 6, 0, 1, 5, 6, 0, 0, 5, 5};
    std::vector<ClassId> labels = {0, 1, 2, 3, 2, 3, 0, 1};
  };
  const auto storage = std::make_shared<const Storage>();
  LoadedData data;
  DatasetView::Dense features;
  features.matrix = reinterpret_cast<const std::byte*>(storage->values.data());
  data.view = DatasetView(features, 2, storage->labels, {});
  data.vocabulary.labels = {"a", "b", "c", "d"};
  data.storage = storage;
  return Dataset(std::make_shared<const LoadedData>(std::move(data)));
}

Tree wrapped(ClassTree tree) {
  return Tree(std::make_shared<const ClassTree>(std::move(tree)));
}

TEST(Tree, BuildsEveryKindThatHasAName) {
  const Dataset data = four_corners();
  for (const char* kind : {"clustered", "balanced", "random", "huffman"}) {
    const TreeStatistics statistics = Tree::build(kind, data, 2, 1, 1).statistics();
    EXPECT_EQ(statistics.classes, 4U) << kind;
    EXPECT_EQ(statistics.nodes, 3U) << kind;
  }
  EXPECT_EQ(Tree::build("balanced", data, 2, 1).data().leaf_order(), class_order(4));
}

TEST(Tree, ReadsATreeFileWhereAKindIsExpected) {
  const TemporaryFolder folder;
  const Dataset data = four_corners();
  const Tree tree = Tree::build("random", data, 3, 5, 1);
  tree.write(folder.path("t"), data.labels());
  EXPECT_EQ(Tree::build(folder.path("t"), data, 16, 1).data(), tree.data());
  EXPECT_EQ(Tree::read(folder.path("t"), data.labels()).data(), tree.data());
}

TEST(Tree, NamesTheOptionThatIsWrong) {
  const Dataset data = four_corners();
  for (const char* kind : {"clustered", "balanced", "random"}) {
    try {
      Tree::build(kind, data, 1, 1);
      ADD_FAILURE() << kind;
    } catch (const Error& error) {
      EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("`arity`")) << error.what();
    }
  }
  try {
    Tree::build("clusterd", data, 16, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr("`tree`: 'clusterd'"));
    EXPECT_THAT(std::string(error.what()), ::testing::HasSubstr(kTreeKinds));
  }
}

TEST(Tree, RefusesLabelsOfOtherData) {
  const TemporaryFolder folder;
  const Tree tree = wrapped(balanced_tree(class_order(3), 2));
  EXPECT_THROW(tree.write(folder.path("t"), {"x", "y"}), Error);
}

TEST(Tree, MeasuresDepthAndBalance) {
  const TreeStatistics full = wrapped(balanced_tree(class_order(1000), 10)).statistics();
  EXPECT_EQ(full.classes, 1000U);
  EXPECT_EQ(full.nodes, 111U);
  EXPECT_EQ(full.arity, 10U);
  EXPECT_EQ(full.depth, 3U);
  EXPECT_EQ(full.nodes_by_level, (std::vector<std::uint32_t>{1, 10, 100, 1000}));
  EXPECT_DOUBLE_EQ(full.mean_depth, 3.0);
  EXPECT_DOUBLE_EQ(full.balance, 1.0);

  // A chain: depths 1, 2, 3, 3, where 2, 2, 2, 2 is possible.
  const TreeStatistics chain = wrapped(ClassTree({2, 0, 2, 0, 2, 0, 0}, {0, 1, 2, 3})).statistics();
  EXPECT_EQ(chain.nodes_by_level, (std::vector<std::uint32_t>{1, 2, 2, 2}));
  EXPECT_DOUBLE_EQ(chain.mean_depth, 2.25);
  EXPECT_DOUBLE_EQ(chain.balance, 2.0 / 2.25);
}

TEST(Tree, KnowsTheLeastMeanDepthWhenClassesAreNoPowerOfTheArity) {
  // Four leaves, one child of the root being their parent: 1, 1, 2, 2.
  EXPECT_DOUBLE_EQ(wrapped(ClassTree({3, 0, 0, 2, 0, 0}, {0, 1, 2, 3})).statistics().balance, 1.0);
  // Six leaves: two parents among the root's three children, 1, 2, 2, 2, 2, 2.
  EXPECT_DOUBLE_EQ(
      wrapped(ClassTree({3, 0, 3, 2, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5})).statistics().balance,
      1.0);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
