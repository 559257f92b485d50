// Labels: threads
#include "model/shared_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/error_text.h"
#include "support/temporary_folder.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

const std::map<std::string, std::string> kMetadata = {{"writer", "all"}, {"empty", ""}};

class SharedFileTest : public ::testing::Test {
 protected:
  SharedFileTest() {
    for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = static_cast<float>(i) / 3;
    for (std::size_t i = 0; i < text_.size(); ++i) text_[i] = static_cast<std::uint8_t>(i * i);
    tensors_ = {tensor_to_write<std::uint8_t>("text", text_),
                tensor_to_write<float>("table", table_, {77, 16}),
                tensor_to_write<std::uint32_t>("none", none_),
                tensor_to_write<std::uint64_t>("ends", ends_)};
    tensors_[1].alignment = 64;
  }

  std::string expected() const { return safetensors_bytes(tensors_, kMetadata); }

  /// The tensors, with the bytes of the data given out in turn: so many to the first rank, then so
  /// many to the next, and so on.
  std::vector<SharedTensor> dealt(std::size_t bytes, const Communicator& ranks) const {
    std::vector<SharedTensor> shared;
    std::size_t turn = 0;
    for (const TensorToWrite& tensor : tensors_) {
      shared.push_back({{tensor.name, tensor.type, tensor.shape, tensor.alignment}, {}});
      for (std::size_t begin = 0; begin < tensor.bytes.size(); begin += bytes, ++turn) {
        if (turn % static_cast<std::size_t>(ranks.ranks()) !=
            static_cast<std::size_t>(ranks.rank())) {
          continue;
        }
        const std::size_t size = std::min(bytes, tensor.bytes.size() - begin);
        shared.back().pieces.push_back({begin, tensor.bytes.subspan(begin, size)});
      }
    }
    return shared;
  }

  /// What is in the folder.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path(""))) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  /// The Error that every rank throws, which is the same.
  template <typename Action>
  std::string error_of_all(int ranks, const Action& action) const {
    std::vector<std::string> texts(static_cast<std::size_t>(ranks));
    run_ranks(ranks, [&](Communicator& all) {
      texts[static_cast<std::size_t>(all.rank())] = error_text([&] { action(all); });
      all.barrier();
    });
    EXPECT_THAT(texts, ::testing::Each(::testing::Eq(texts.front())));
    return texts.front();
  }

  std::vector<float> table_ = std::vector<float>(77 * 16);
  std::vector<std::uint8_t> text_ = std::vector<std::uint8_t>(1001);
  std::vector<std::uint32_t> none_;
  std::vector<std::uint64_t> ends_ = {1, 2, 3};
  std::vector<TensorToWrite> tensors_;
  TemporaryFolder folder_;
  std::string path_ = folder_.path("shared");
};

TEST_F(SharedFileTest, IsTheFileOfOneProcess) {
  for (const int ranks : {1, 2, 3, 5}) {
    run_ranks(ranks, [&](Communicator& all) {
      write_shared_safetensors(path_, share_evenly(tensors_, all), kMetadata, all);
    });
    EXPECT_EQ(TemporaryFolder::read(path_), expected()) << ranks;
    for (const std::size_t bytes : {13U, 300U, 1000U, 10'000U}) {
      run_ranks(ranks, [&](Communicator& all) {
        write_shared_safetensors(path_, dealt(bytes, all), kMetadata, all);
      });
      EXPECT_EQ(TemporaryFolder::read(path_), expected()) << bytes << " bytes, " << ranks;
    }
  }
  EXPECT_THAT(files(), ::testing::ElementsAre("shared"));
}

TEST_F(SharedFileTest, EvenSharesDifferByAByteAtMost) {
  std::vector<std::size_t> sizes(5);
  run_ranks(5, [&](Communicator& all) {
    for (const SharedTensor& tensor : share_evenly(tensors_, all)) {
      for (const TensorPiece& piece : tensor.pieces) {
        sizes[static_cast<std::size_t>(all.rank())] += piece.bytes.size();
      }
    }
  });
  const auto [least, most] = std::ranges::minmax(sizes);
  EXPECT_LE(most - least, 1U);
}

TEST_F(SharedFileTest, HasTheMetadataOfTheFirstRank) {
  run_ranks(3, [&](Communicator& all) {
    const std::map<std::string, std::string> other = {{"longer", std::string(200, 'x')}};
    write_shared_safetensors(path_, share_evenly(tensors_, all), all.is_first() ? kMetadata : other,
                             all);
  });
  EXPECT_EQ(TemporaryFolder::read(path_), expected());
}

TEST_F(SharedFileTest, NeedsNoTensors) {
  run_ranks(2, [&](Communicator& all) { write_shared_safetensors(path_, {}, kMetadata, all); });
  EXPECT_EQ(TemporaryFolder::read(path_), safetensors_bytes({}, kMetadata));
}

TEST_F(SharedFileTest, TheOldFileStandsWhenARankCannotWrite) {
  folder_.write("shared", "old");
  // The system refuses to read from such memory.
  void* forbidden = ::mmap(nullptr, text_.size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(forbidden, MAP_FAILED);
  const std::string text = error_of_all(3, [&](Communicator& all) {
    std::vector<SharedTensor> shared = share_evenly(tensors_, Communicator());
    for (SharedTensor& tensor : shared) {
      const int owner = tensor.description.name == "text" ? 1 : 0;
      if (owner != all.rank()) tensor.pieces.clear();
    }
    if (all.rank() == 1) {
      shared.front().pieces.front().bytes = {static_cast<const std::byte*>(forbidden),
                                             text_.size()};
    }
    write_shared_safetensors(path_, shared, kMetadata, all);
  });
  EXPECT_THAT(text, HasSubstr("rank 1 of 3 (here): " + path_ + ": cannot write"));
  EXPECT_EQ(TemporaryFolder::read(path_), "old");
  EXPECT_THAT(files(), ::testing::ElementsAre("shared"));
  ::munmap(forbidden, text_.size());
}

TEST_F(SharedFileTest, NamesTheRankWhoseDiskIsFull) {
  const std::string text = error_of_all(3, [&](Communicator& all) {
    std::vector<SharedTensor> shared = share_evenly(tensors_, Communicator());
    if (all.rank() != 1) {
      for (SharedTensor& tensor : shared) tensor.pieces.clear();
    }
    write_shared_safetensors("/dev/full", shared, kMetadata, all);
  });
  EXPECT_THAT(text, HasSubstr("rank 1 of 3 (here): /dev/full: cannot write"));
  EXPECT_THAT(text, HasSubstr("make room"));
}

TEST_F(SharedFileTest, NeedsItsFolder) {
  const std::string missing = folder_.path("missing/shared");
  EXPECT_THAT(error_of_all(2,
                           [&](Communicator& all) {
                             write_shared_safetensors(missing, share_evenly(tensors_, all),
                                                      kMetadata, all);
                           }),
              HasSubstr("rank 0 of 2 (here): " + missing + ": cannot create"));
}

TEST_F(SharedFileTest, PiecesMustBeEveryByteOnce) {
  folder_.write("shared", "old");
  const auto error_with = [&](const auto& change) {
    return error_of_all(2, [&](Communicator& all) {
      std::vector<SharedTensor> shared = dealt(100, all);
      if (all.rank() == 1) change(shared[0].pieces);
      write_shared_safetensors(path_, shared, kMetadata, all);
    });
  };
  using Pieces = std::vector<TensorPiece>;
  EXPECT_THAT(error_with([](Pieces& pieces) { pieces.erase(pieces.begin()); }),
              HasSubstr("no rank has byte 100 of tensor 'text'"));
  EXPECT_THAT(error_with([](Pieces& pieces) { pieces.pop_back(); }),
              HasSubstr("no rank has byte 900 of tensor 'text'"));
  EXPECT_THAT(error_with([](Pieces& pieces) { pieces[0].offset -= 1; }),
              HasSubstr("two pieces hold byte 99 of tensor 'text'"));
  EXPECT_THAT(error_with([](Pieces& pieces) { pieces[0].offset = 950; }),
              HasSubstr("rank 1 of 2 (here): " + path_ +
                        ": cannot write: 100 bytes at offset 950 of tensor 'text'"));
  EXPECT_EQ(TemporaryFolder::read(path_), "old");
  EXPECT_THAT(files(), ::testing::ElementsAre("shared"));
}

TEST_F(SharedFileTest, ARankThatDiesLeavesTheOldFile) {
  folder_.write("shared", "old");
  ThreadRanks ranks(3);
  EXPECT_THAT(error_text([&] {
                ranks.run([&](Communicator& all) {
                  if (all.rank() == 2) ranks.kill(2);
                  write_shared_safetensors(path_, share_evenly(tensors_, all), kMetadata, all);
                });
              }),
              HasSubstr("rank 2 does not answer"));
  EXPECT_EQ(TemporaryFolder::read(path_), "old");
  EXPECT_THAT(files(), ::testing::ElementsAre("shared"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
