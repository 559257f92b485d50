#include "core/loop/checkpoint_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <vector>

#include "cane/error.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using Mode = CheckpointWriter::Mode;

class CheckpointWriterTest : public ::testing::Test {
 protected:
  void write(CheckpointWriter& writer, Mode mode) {
    const TensorToWrite tensor = tensor_to_write<std::uint32_t>("values", values_);
    writer.write({&tensor, 1}, {{"note", "kept"}}, mode);
  }
  std::vector<std::uint32_t> stored(const std::string& path) const {
    const SafetensorsFile file(path);
    EXPECT_EQ(file.metadata("note"), "kept");
    const auto values = file.values<std::uint32_t>("values");
    return {values.begin(), values.end()};
  }

  testing::TemporaryFolder folder_;
  std::vector<std::uint32_t> values_ = std::vector<std::uint32_t>(100'000, 1);
};

TEST_F(CheckpointWriterTest, WritesTheStateAsItWas) {
  for (const Mode mode : {Mode::kInBackground, Mode::kWait}) {
    CheckpointWriter writer(folder_.path("c"));
    std::iota(values_.begin(), values_.end(), 0U);
    const std::vector<std::uint32_t> before = values_;
    write(writer, mode);
    std::ranges::fill(values_, 7U);
    EXPECT_EQ(writer.finish(), "");
    EXPECT_EQ(stored(folder_.path("c")), before);
    EXPECT_EQ(writer.written(), 1U);
    EXPECT_EQ(writer.bytes(), 4 * values_.size());
    EXPECT_GT(writer.cost(0), 0.0);
  }
}

TEST_F(CheckpointWriterTest, TheLastOneStays) {
  {
    CheckpointWriter writer(folder_.path("c"));
    for (std::uint32_t i = 0; i < 10; ++i) {
      std::ranges::fill(values_, i);
      write(writer, Mode::kInBackground);
    }
  }
  EXPECT_EQ(stored(folder_.path("c")).front(), 9U);
}

TEST_F(CheckpointWriterTest, AFailureIsThrownByTheNextOneAndReturnedAtTheEnd) {
  CheckpointWriter writer(folder_.path("missing/c"));
  EXPECT_THROW(write(writer, Mode::kWait), Error);
  write(writer, Mode::kInBackground);
  EXPECT_THROW(write(writer, Mode::kInBackground), Error);
  write(writer, Mode::kInBackground);
  EXPECT_THAT(writer.finish(), ::testing::HasSubstr("missing/c"));
}

TEST_F(CheckpointWriterTest, LeavesTheCheckpointOfAnotherTrainingAlone) {
  const std::string path = folder_.path("c");
  CheckpointWriter first(path);
  CheckpointWriter second(path);
  std::ranges::fill(values_, 1U);
  write(first, Mode::kWait);
  EXPECT_TRUE(first.is_own());
  std::ranges::fill(values_, 2U);
  write(second, Mode::kInBackground);
  EXPECT_EQ(second.finish(), "");
  EXPECT_FALSE(second.is_own());
  EXPECT_EQ(second.written(), 0U);
  EXPECT_EQ(stored(path).front(), 1U);
  write(first, Mode::kWait);
  EXPECT_TRUE(first.is_own());
  EXPECT_EQ(stored(path).front(), 2U);
  // One that begins where a checkpoint is goes on with it.
  CheckpointWriter third(path);
  write(third, Mode::kWait);
  EXPECT_TRUE(third.is_own());
}

TEST_F(CheckpointWriterTest, WithoutAPathNothingIsWritten) {
  CheckpointWriter writer("");
  write(writer, Mode::kInBackground);
  EXPECT_EQ(writer.written(), 0U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
