// Labels: threads
#include "core/parallel/communicator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Communicator, GivesEveryRankTheBytesOfAllInTheirOrder) {
  std::atomic<int> right = 0;
  run_ranks(4, [&](Communicator& ranks) {
    // Of different lengths, one of them empty.
    const std::string own(static_cast<std::size_t>(ranks.rank()), 'x');
    const std::vector<Bytes> all = ranks.all_gather(bytes_of_text(own));
    right += all.size() == 4 && text_of(all[0]).empty() && text_of(all[3]) == "xxx" ? 1 : 0;
  });
  EXPECT_EQ(right, 4);
}

// What is small travels with its size, what is large after all sizes are known.
TEST(Communicator, GathersSmallAndLargeMessagesTogether) {
  std::atomic<int> right = 0;
  run_ranks(3, [&](Communicator& ranks) {
    for (const std::size_t size : {std::size_t{16384}, std::size_t{16385}, std::size_t{100000}}) {
      const std::string own(ranks.rank() == 0 ? 10 : size, static_cast<char>('a' + ranks.rank()));
      const std::vector<Bytes> all = ranks.all_gather(bytes_of_text(own));
      right += text_of(all[0]) == std::string(10, 'a') &&
                       text_of(all[1]) == std::string(size, 'b') &&
                       text_of(all[2]) == std::string(size, 'c')
                   ? 1
                   : 0;
    }
  });
  EXPECT_EQ(right, 9);
}

TEST(Communicator, GathersOnOneRankAlone) {
  run_ranks(3, [](Communicator& ranks) {
    const auto all = ranks.gather(bytes_of_text(std::to_string(ranks.rank())), 1);
    if (ranks.rank() != 1) {
      EXPECT_TRUE(all.empty());
      return;
    }
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(text_of(all[0]) + text_of(all[1]) + text_of(all[2]), "012");
  });
}

TEST(Communicator, SendsToEveryRankWhatIsMeantForIt) {
  run_ranks(3, [](Communicator& ranks) {
    std::vector<Bytes> outgoing;
    for (int to = 0; to < 3; ++to) {
      outgoing.push_back(bytes_of_text(std::to_string(10 * ranks.rank() + to)));
    }
    const auto incoming = ranks.all_to_all(std::move(outgoing));
    for (int from = 0; from < 3; ++from) {
      EXPECT_EQ(text_of(incoming[static_cast<std::size_t>(from)]),
                std::to_string(10 * from + ranks.rank()));
    }
  });
}

TEST(Communicator, BroadcastsFromAnyRank) {
  run_ranks(3, [](Communicator& ranks) {
    const Bytes own = bytes_of_text(ranks.rank() == 2 ? "two" : "other");
    EXPECT_EQ(text_of(ranks.broadcast(own, 2)), "two");
  });
}

TEST(Communicator, SumsInTheOrderOfTheRanks) {
  run_ranks(3, [](Communicator& ranks) {
    // In any other order the one would be lost in the rounding.
    constexpr double kAddends[] = {1e16, -1e16, 1.0};
    EXPECT_EQ(ranks.sum(kAddends[ranks.rank()]), 1.0);
    EXPECT_THAT(ranks.all_gather_value(ranks.rank()), ElementsAre(0, 1, 2));
  });
}

TEST(Communicator, NeedsNoTransportWhenAlone) {
  Communicator alone;
  alone.barrier();
  EXPECT_EQ(text_of(alone.broadcast(bytes_of_text("a"))), "a");
  EXPECT_EQ(alone.all_gather(bytes_of_text("b")).size(), 1U);
  EXPECT_EQ(alone.gather(bytes_of_text("c")).size(), 1U);
  EXPECT_EQ(alone.sum(3), 3);
  alone.close();
}

TEST(Communicator, NamesTheRankThatIsWaitedFor) {
  ThreadRanks ranks(3);
  ranks.delay(1, std::chrono::milliseconds(200));
  ranks.run([](Communicator& own) {
    own.barrier();
    if (own.rank() == 1) return;
    const auto waited = own.seconds_waited();
    EXPECT_GT(waited[1], waited[static_cast<std::size_t>(2 - own.rank())]);
  });
}

TEST(Communicator, NotifiesAllRanksOfAFailure) {
  std::mutex mutex;
  std::set<std::string> received;
  const auto body = [&](Communicator& ranks) {
    if (ranks.rank() == 1) throw Error("the disk is full");
    try {
      ranks.barrier();
    } catch (const PeerFailure& failure) {
      const std::lock_guard lock(mutex);
      received.insert(std::to_string(ranks.rank()) + " of " + std::to_string(failure.rank()) +
                      ": " + failure.what());
      throw;
    }
  };
  EXPECT_THROW(ThreadRanks(3).run(body), Error);
  EXPECT_THAT(received, ElementsAre("0 of 1: the disk is full", "2 of 1: the disk is full"));
}

TEST(Communicator, NamesALostRank) {
  ThreadRanks ranks(3);
  try {
    ranks.run([&](Communicator& own) {
      if (own.rank() == 2) {
        ranks.kill(2);
        return;
      }
      own.barrier();
    });
    FAIL() << "the others did not notice";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 2 does not answer"));
  }
}

TEST(Communicator, RefusesValuesOfAnotherSize) {
  const Bytes three(3);
  EXPECT_THROW(values_of<std::uint32_t>(three), Error);
  EXPECT_TRUE(values_of<std::uint32_t>({}).empty());
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
