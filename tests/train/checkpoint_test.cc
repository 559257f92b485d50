#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "cane/cane.h"
#include "core/file/safetensors.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace {

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

// The checkpoint with one of its numbers replaced, and every checksum right.
void forge(const std::string& path, const std::string& from, const std::string& to) {
  std::map<std::string, std::string> metadata;
  std::vector<TensorToWrite> tensors;
  const SafetensorsFile file(path);
  metadata = file.metadata();
  std::string& entry = metadata.at("cane.checkpoint");
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
    forge(path, "\"next_batch\":0", std::string("\"next_batch\":") + forged);
    config.checkpoint_path = path + ".forged";
    config.resume = true;
    EXPECT_NE(testing::error_text([&] { train(data, config); }).find("damaged"), std::string::npos)
        << forged;
  }
}

}  // namespace
}  // namespace cane
