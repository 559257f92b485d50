#include "train/checkpoint/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "cane/cane.h"
#include "core/file/safetensors.h"
#include "support/error_text.h"
#include "support/small_data.h"
#include "support/temporary_folder.h"
#include "support/thread_ranks.h"
#include "support/training.h"

namespace cane {
namespace CANE_THIS_FILE {

// The optimiser's state may be an odd number of floats; what follows it in the file must not mind.
TEST(Checkpoint, HoldsAnOptimizerStateOfAnyLength) {
  const testing::TemporaryFolder folder;
  DataOptions reading;
  reading.use_cache = false;
  TrainConfig config;
  config.optimizer = OptimizerKind::kAdagrad;
  config.epochs = 2;
  config.checkpoint_path = folder.path("model.checkpoint");
  for (const char* text : {"a 1:1\nb 2:1\nc 3:1\n", "a 1:1\nb 2:1\nc 4:1\n"}) {
    const Dataset data = Dataset::load(folder.write("train.svm", text), reading);
    EXPECT_EQ(train(data, config).epochs, 2U);
  }
}

// The checkpoint with a part of one of its entries replaced, and every checksum right.
void forge(const std::string& path, const std::string& key, const std::string& from,
           const std::string& to) {
  std::map<std::string, std::string> metadata;
  std::vector<TensorToWrite> tensors;
  const SafetensorsFile file(path);
  metadata = file.metadata();
  std::string& entry = metadata.at(key);
  const std::size_t place = entry.find(from);
  ASSERT_NE(place, std::string::npos) << entry;
  entry.replace(place, from.size(), to);
  for (const auto& [name, tensor] : file.tensors()) {
    tensors.push_back({name, tensor.type, tensor.shape, tensor.bytes});
  }
  write_safetensors(path + ".forged", tensors, metadata);
}

TEST(Checkpoint, IsRefusedWithNumbersOutOfRange) {
  const testing::TemporaryFolder folder;
  DataOptions reading;
  reading.use_cache = false;
  TrainConfig config;
  config.epochs = 2;
  config.checkpoint_path = folder.path("model.checkpoint");
  const Dataset data = Dataset::load(folder.write("train.svm", "a 1:1\nb 2:1\nc 3:1\n"), reading);
  train(data, config);
  const std::string path = config.checkpoint_path;
  for (const char* forged : {"-1", "1e300", "1000000", "18446744073709551615", "\"0\""}) {
    forge(path, "cane.checkpoint", "\"next_batch\":0", std::string("\"next_batch\":") + forged);
    config.checkpoint_path = path + ".forged";
    config.resume = true;
    EXPECT_NE(testing::error_text([&] { train(data, config); }).find("damaged"), std::string::npos)
        << forged;
  }
}

// Of version 0.1, with the option `rebuild_tree`.
TEST(Checkpoint, IsRefusedIfItsTreeWasToBeBuiltAgain) {
  const testing::TemporaryFolder folder;
  DataOptions reading;
  reading.use_cache = false;
  TrainConfig config;
  config.epochs = 2;
  config.checkpoint_path = folder.path("model.checkpoint");
  const Dataset data = Dataset::load(folder.write("train.svm", "a 1:1\nb 2:1\nc 3:1\n"), reading);
  train(data, config);
  const std::string path = config.checkpoint_path;
  config.checkpoint_path = path + ".forged";
  config.resume = true;
  forge(path, "cane.options", "{", "{\"rebuild-tree\":1,");
  EXPECT_NE(testing::error_text([&] { train(data, config); }).find("train again without"),
            std::string::npos);
  forge(path, "cane.options", "{", "{\"rebuild-tree\":0,");
  EXPECT_NO_THROW(train(data, config));
}

class SharedCheckpoint : public ::testing::Test {
 protected:
  static TrainConfig config() {
    TrainConfig config;
    config.optimizer = OptimizerKind::kAdagrad;
    config.epochs = 1;
    config.threads = 1;
    config.deterministic = true;
    return config;
  }
  /// Trains, and writes a checkpoint whose best weights are those of now.
  void write(CheckpointWriter& writer, Communicator& ranks) {
    testing::Training training(data_, config());
    training.run_all();
    training.state.loop.seconds = 1.5 + 1e6 * ranks.rank();
    Checkpoint run;
    for (const AlignedBuffer<float>& weights : training.state.weights) {
      run.best.weights.emplace_back(weights.size());
      std::ranges::copy(weights.span(), run.best.weights.back().data());
    }
    run.model = training.model;
    run.state = std::move(training.state);
    write_checkpoint(writer, CheckpointWriter::Mode::kInBackground, run, {77, 78}, ranks);
  }
  std::string written_by(int ranks) {
    const std::string path = folder_.path("checkpoint");
    run_ranks(ranks, [&](Communicator& all) {
      CheckpointWriter writer(path);
      write(writer, all);
      EXPECT_EQ(writer.finish(), "");
      EXPECT_EQ(writer.written(), 1U);
      EXPECT_GT(writer.bytes(), 0U);
      EXPECT_GT(writer.cost(0), 0.0);
    });
    return testing::TemporaryFolder::read(path);
  }

  testing::TemporaryFolder folder_;
  testing::SmallData data_ = testing::SmallData({});
};

TEST_F(SharedCheckpoint, IsThatOfOneProcess) {
  const std::string expected = written_by(1);
  EXPECT_EQ(written_by(2), expected);
  EXPECT_EQ(written_by(3), expected);
  const Checkpoint read = read_checkpoint(folder_.path("checkpoint"), {77, 78});
  EXPECT_EQ(read.state.loop.epoch, 1U);
  EXPECT_EQ(read.best.weights.size(), read.state.weights.size());
  EXPECT_THROW(read_checkpoint(folder_.path("checkpoint"), {76, 78}), Error);
  EXPECT_THROW(read_checkpoint(folder_.path("checkpoint"), {77, 79}), Error);
}

TEST_F(SharedCheckpoint, ThatCannotBeWrittenIsAnErrorOfAllRanks) {
  std::vector<std::string> texts(3);
  run_ranks(3, [&](Communicator& all) {
    CheckpointWriter writer(folder_.path("missing/checkpoint"));
    texts[static_cast<std::size_t>(all.rank())] = testing::error_text([&] { write(writer, all); });
    EXPECT_EQ(writer.written(), 0U);
  });
  EXPECT_THAT(texts, ::testing::Each(::testing::HasSubstr("rank 0 of 3 (here): ")));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
