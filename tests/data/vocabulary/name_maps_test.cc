#include "data/vocabulary/name_maps.h"

#include <gtest/gtest.h>

namespace cane {
namespace CANE_THIS_FILE {

using Labels = std::vector<std::string>;

Labels sorted(Labels labels) {
  sort_labels(labels);
  return labels;
}

TEST(SortLabels, SortsWholeNumbersByValue) {
  EXPECT_EQ(sorted({"10", "9", "-1", "+2", "0", "-20", "123456789012345678901234567890"}),
            (Labels{"-20", "-1", "0", "+2", "9", "10", "123456789012345678901234567890"}));
}

TEST(SortLabels, OrdersSpellingsOfTheSameNumberByBytes) {
  EXPECT_EQ(sorted({"1", "01", "-0", "0"}), (Labels{"-0", "0", "01", "1"}));
}

TEST(SortLabels, SortsByBytesIfAnyIsNoWholeNumber) {
  EXPECT_EQ(sorted({"10", "9", "b", "B", "1.0"}), (Labels{"1.0", "10", "9", "B", "b"}));
}

TEST(LabelMap, GivesClassesInSortedOrder) {
  LabelMap map(nullptr);
  EXPECT_EQ(map.number_of("20"), FileId{0});
  EXPECT_EQ(map.number_of("3"), FileId{1});
  EXPECT_EQ(map.number_of("20"), FileId{0});
  EXPECT_EQ(map.classes(), (std::vector<ClassId>{1, 0}));
  EXPECT_EQ(map.sorted_labels(), (Labels{"3", "20"}));
}

TEST(LabelMap, KeepsKnownClassesAndNamesTheFirstFiveUnseenLabels) {
  Vocabulary known;
  known.labels = {"b", "a"};
  LabelMap map(&known);
  EXPECT_EQ(map.number_of("a"), FileId{1});
  for (const char* label : {"z", "z", "y", "x", "w", "v", "u"}) {
    EXPECT_EQ(map.number_of(label), kUnknownName);
  }
  EXPECT_EQ(map.classes(), (std::vector<ClassId>{0, 1}));
  EXPECT_EQ(map.unseen(), (Labels{"z", "y", "x", "w", "v"}));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
