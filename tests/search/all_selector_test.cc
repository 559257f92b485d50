#include "search/exact_selector.h"

#include <gtest/gtest.h>

#include "core/tree/balanced_tree.h"
#include "linear/scorers/tree_scorer.h"
#include "support/flat_table.h"
#include "support/random_model.h"
#include "support/select_classes.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::FlatTable;
using testing::RandomModel;

TEST(AllSelector, GivesEveryClassInItsOwnOrder) {
  const FlatTable table(70, 1, 6);
  const RandomModel model(balanced_tree(random_order(70, 5), 4), 6, 3, true);
  const FlatScorer flat = table.scorer();
  const TreeScorer tree(model.scorer());
  for (const ClassScorer* scorer :
       {static_cast<const ClassScorer*>(&flat), static_cast<const ClassScorer*>(&tree)}) {
    const Selection selection = testing::select_classes(AllSelector(*scorer), model.rows, 9, 9);
    EXPECT_EQ(selection.rows_scored, 3U * 70U);
    for (std::size_t e = 0; e < model.rows.size(); ++e) {
      const auto found = selection.of(e);
      ASSERT_EQ(found.size(), 70U);
      for (ClassId k = 0; k < 70; ++k) {
        EXPECT_EQ(found[k].class_id, k);
        const double plain = scorer == &flat ? table.plain_score(model.rows[e], k)
                                             : model.plain_score(model.rows[e], k);
        EXPECT_NEAR(found[k].score, plain, 1e-4);
      }
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
