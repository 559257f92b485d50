#include "core/tree/tree_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "cane/error.h"
#include "core/tree/balanced_tree.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::TemporaryFolder;

const std::vector<std::string> kLabels = {"ant", "a bee", "#cat", ""};

TEST(TreeFile, ReadsWhatAHumanWrites) {
  const TemporaryFolder folder;
  const std::string path = folder.write("tree",
                                        "cane-tree 1\n"
                                        "# insects first\n"
                                        "0\n"
                                        "  1\n"
                                        "    2\ta bee\n"
                                        "    2 ant\r\n"
                                        "\n"
                                        "  # the others\n"
                                        "  1\n"
                                        "    2\t\n"
                                        "    2\t#cat");
  EXPECT_EQ(read_tree_file(path, kLabels), ClassTree({2, 2, 2, 0, 0, 0, 0}, {1, 0, 3, 2}));
}

TEST(TreeFile, PutsNodesOfUnevenDepthIntoLevelOrder) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("tree", "cane-tree 1\n0\n1\n2\n3\ta bee\n3\tant\n2\t#cat\n1\t\n");
  EXPECT_EQ(read_tree_file(path, kLabels), ClassTree({2, 2, 0, 2, 0, 0, 0}, {3, 2, 1, 0}));
}

TEST(TreeFile, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  for (const std::uint32_t classes : {2U, 3U, 17U, 1000U, 30011U}) {
    for (const std::uint32_t arity : {2U, 10U, 16U}) {
      std::vector<std::string> labels;
      for (std::uint32_t label = 0; label < classes; ++label) {
        labels.push_back("class\t" + std::to_string(label) + " ");
      }
      const ClassTree tree = balanced_tree(random_order(classes, 5), arity);
      write_tree_file(folder.path("tree"), tree, labels);
      EXPECT_EQ(read_tree_file(folder.path("tree"), labels), tree);
    }
  }
}

TEST(TreeFile, WritesOneNodeALine) {
  const TemporaryFolder folder;
  write_tree_file(folder.path("tree"), ClassTree({2, 2, 0, 0, 0}, {1, 2, 0}),
                  std::vector<std::string>{"x", "y", "z"});
  EXPECT_EQ(TemporaryFolder::read(folder.path("tree")),
            "cane-tree 1\n"
            "# 3 classes, 2 inner nodes, depth 2. A node a line, parents before children: its "
            "depth; for a class a tab and the label.\n"
            "0\n1\n2\tz\n2\tx\n1\ty\n");
}

TEST(TreeFile, LeavesNothingBehindWhenALabelCannotBeWritten) {
  const TemporaryFolder folder;
  for (const char* label : {"two\nlines", "carriage return\r"}) {
    EXPECT_THROW(write_tree_file(folder.path("tree"), ClassTree({2, 0, 0}, {0, 1}),
                                 std::vector<std::string>{"x", label}),
                 Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

struct BadFile {
  const char* content;
  const char* message;
};

TEST(TreeFile, SaysWhereABadFileIsWrong) {
  const std::vector<BadFile> cases = {
      {"", ":1: not a tree file"},
      {"\n0\n", ":1: not a tree file"},
      {"\x7f\x45\x4c\x46", ":1: not a tree file"},
      {"cane-tree 2\n0\n", ":1: version 2 of the tree format is unknown"},
      {"cane-tree \x1b[1m\n0\n", ":1: version \\x1b[1m of the tree format is unknown"},
      {"cane-tree 1\n", ":1: the file ends and 2 of 2 labels have no leaf, the first is 'x'"},
      {"cane-tree 1\n1\n", ":2: the first node is the root"},
      {"cane-tree 1\n0\n1\tx\n1\ty\n0\n", ":5: a second root"},
      {"cane-tree 1\n0\tx\n1\ty\n", ":3: a node below a leaf"},
      {"cane-tree 1\n0\n2\tx\n", ":3: depth 2 where 1 is the deepest"},
      {"cane-tree 1\n0\n1\tx\n2\ty\n", ":4: depth 2 where 1 is the deepest"},
      {"cane-tree 1\n0\nx\n", ":3: no depth"},
      {"cane-tree 1\n0\n-1\tx\n", ":3: no depth"},
      {"cane-tree 1\n0\n1x\n", ":3: no depth"},
      {"cane-tree 1\n0\n99999999999\tx\n", ":3: no depth"},
      {"cane-tree 1\n0\n4294967295\tx\n", ":3: depth 4294967295 where"},
      {"cane-tree 1\n0\n1\tx\n1\tz\n", ":4: label 'z' is not in the data"},
      {"cane-tree 1\n0\n1\tx\n\n1\tx\n", ":5: label 'x' again, first on line 3"},
      {"cane-tree 1\n0\n1\n2\tx\n1\ty\n", ":3: an inner node with 1 of the 2"},
      {"cane-tree 1\n0\n1\tx\n1\ty\n1\n", ":5: an inner node with 0 of the 2"},
      {"cane-tree 1\n0\n1\tx\n", ":2: an inner node with 1 of the 2"},
  };
  const TemporaryFolder folder;
  for (const BadFile& bad : cases) {
    const std::string path = folder.write("bad", bad.content);
    try {
      read_tree_file(path, std::vector<std::string>{"x", "y"});
      ADD_FAILURE() << "accepted: " << bad.content;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + bad.message))
          << error.what() << "\ninstead of " << bad.message;
    }
  }
  EXPECT_THROW(read_tree_file(folder.path("absent"), kLabels), Error);
}

TEST(TreeFile, NamesALabelThatIsMissing) {
  const TemporaryFolder folder;
  const std::string path = folder.write("tree", "cane-tree 1\n0\n1\tx\n1\tz\n");
  try {
    read_tree_file(path, std::vector<std::string>{"x", "y", "z"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 (path + ":4: the file ends and 1 of 3 labels have no leaf, the first "
                         "is 'y'; add a leaf for each")
                     .c_str());
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
