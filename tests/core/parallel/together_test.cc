// Labels: threads
#include "core/parallel/together.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <new>
#include <string>

#include "support/error_text.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;

TEST(Together, GivesEveryRankWhatAllReturned) {
  for (const int ranks : {1, 2, 3}) {
    run_ranks(ranks, [&](Communicator& all) {
      const std::vector<Bytes> texts = do_together(all, [&] {
        return bytes_of_text(std::string(static_cast<std::size_t>(all.rank()), 'x'));
      });
      ASSERT_EQ(texts.size(), static_cast<std::size_t>(ranks));
      for (std::size_t rank = 0; rank < texts.size(); ++rank) {
        EXPECT_EQ(text_of(texts[rank]), std::string(rank, 'x'));
      }
    });
  }
}

TEST(Together, AllThrowTheMessageOfTheLowestThatFailed) {
  std::array<std::string, 3> texts;
  run_ranks(3, [&](Communicator& all) {
    texts[static_cast<std::size_t>(all.rank())] = error_text([&] {
      do_together(all, [&]() -> Bytes {
        if (all.rank() == 2) throw std::bad_alloc();
        if (all.rank() == 1) throw Error("the disk is full; make room");
        return {};
      });
    });
    // They know of each other, and can go on.
    all.barrier();
  });
  EXPECT_THAT(texts,
              ::testing::Each(::testing::Eq("rank 1 of 3 (here): the disk is full; make room")));
}

TEST(Together, OneRankThrowsWhatItsStepThrew) {
  Communicator alone;
  EXPECT_EQ(error_text([&] { do_together(alone, []() -> Bytes { throw Error("no"); }); }), "no");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
