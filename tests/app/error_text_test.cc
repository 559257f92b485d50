#include "app/error_text.h"

#include <gtest/gtest.h>

#include "cane/error.h"

namespace cane::cli {
namespace CANE_THIS_FILE {

TEST(ErrorText, SpellsFieldsAsFlags) {
  EXPECT_EQ(with_flags("use `select tree`, or a smaller `batch`"),
            "use --select tree, or a smaller --batch");
  EXPECT_EQ(with_flags("`swap_resistance 2`: no"), "--swap-resistance 2: no");
  EXPECT_EQ(with_flags(OptionError("rank", "it must be 1 or more", "take `rank 16`").what()),
            "--rank: it must be 1 or more; take --rank 16");
}

TEST(ErrorText, KnowsFieldsThatAreSpelledDifferently) {
  EXPECT_EQ(with_flags("name it with `labels_path`"), "name it with --labels");
  EXPECT_EQ(with_flags("another folder with `cache_directory`"), "another folder with --cache");
}

TEST(ErrorText, LeavesOtherQuotedTextAlone) {
  EXPECT_EQ(with_flags("see `cane train --help`; or give `lr`"),
            "see `cane train --help`; or give --lr");
  EXPECT_EQ(with_flags("an odd ` and `lr`"), "an odd ` and --lr");
  EXPECT_EQ(with_flags(""), "");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli
