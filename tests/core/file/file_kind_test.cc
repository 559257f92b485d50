#include "core/file/file_kind.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <map>
#include <string>

#include "core/file/safetensors.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::TemporaryFolder;

FileKind kind_of_tensors(const std::map<std::string, std::string>& metadata) {
  const TemporaryFolder folder;
  const std::uint32_t value = 7;
  const TensorToWrite tensor = tensor_to_write<std::uint32_t>("t", {&value, 1});
  write_safetensors(folder.path("f"), {&tensor, 1}, metadata);
  return kind_of_file(folder.path("f"));
}

TEST(FileKind, TellsModelsAndCheckpointsApart) {
  EXPECT_EQ(kind_of_tensors({{"cane.format_version", "2"}}), FileKind::kModel);
  EXPECT_EQ(kind_of_tensors({{"cane.format_version", "2"}, {"cane.checkpoint", "{}"}}),
            FileKind::kCheckpoint);
  EXPECT_EQ(kind_of_tensors({{"cane.format_version", "lm 2"}}), FileKind::kLanguageModel);
  EXPECT_EQ(kind_of_tensors({{"cane.format_version", "lm checkpoint 2"}}),
            FileKind::kLanguageModelCheckpoint);
  EXPECT_EQ(kind_of_tensors({{"format", "cane-lm model 1"}}), FileKind::kLanguageModel);
  EXPECT_EQ(kind_of_tensors({{"format", "cane-lm checkpoint 1"}}),
            FileKind::kLanguageModelCheckpoint);
  EXPECT_EQ(kind_of_tensors({{"format", "pt"}}), FileKind::kUnknown);
  // The names of many columns come before the format.
  EXPECT_EQ(kind_of_tensors(
                {{"cane.features", std::string(1'000'000, 'x')}, {"cane.format_version", "2"}}),
            FileKind::kModel);
}

TEST(FileKind, KnowsTextsByTheirBeginning) {
  const TemporaryFolder folder;
  EXPECT_EQ(kind_of_file(folder.path("missing")), FileKind::kNothing);
  EXPECT_EQ(kind_of_file(folder.write("empty", "")), FileKind::kNothing);
  EXPECT_EQ(kind_of_file(folder.write("tree", "cane-tree 1\n0\n")), FileKind::kTree);
  const std::string start = R"({"event":"start","time":1.7e+09,"options":{}})";
  const std::string error = R"({"event":"error","time":1700000000.5,"text":"no"})";
  EXPECT_EQ(kind_of_file(folder.write("log", start + "\n{\"event\":\"end\"}\n")), FileKind::kLog);
  EXPECT_EQ(kind_of_file(folder.write("log", error + "\n")), FileKind::kLog);
  EXPECT_EQ(kind_of_file(folder.write("log", error + "\n" + error + "\n")), FileKind::kUnknown);
  EXPECT_EQ(kind_of_file(folder.write("log", "{\"event\":\"start\"}\n")), FileKind::kUnknown);
  EXPECT_EQ(kind_of_file(folder.write("tree", "cane-tree 10\n")), FileKind::kUnknown);
  EXPECT_EQ(kind_of_file(folder.write("labels", "a\nb\n")), FileKind::kUnknown);
  EXPECT_EQ(kind_of_file(folder.write("short", "{")), FileKind::kUnknown);
  EXPECT_EQ(kind_of_file(folder.path("")), FileKind::kUnknown);
}

TEST(FileKind, AMarkHoldsUntilTheFileChanges) {
  const TemporaryFolder folder;
  const std::string path = folder.write("labels", "a\nb\n");
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND);
  if (::fsetxattr(descriptor, "user.cane.test", "", 0, 0) != 0) {
    ::close(descriptor);
    GTEST_SKIP() << "the file system keeps no marks";
  }
  mark_as_predictions(descriptor);
  EXPECT_EQ(kind_of_file(path), FileKind::kPredictions);
  EXPECT_EQ(::write(descriptor, "c\n", 2), 2);
  ::close(descriptor);
  EXPECT_EQ(kind_of_file(path), FileKind::kUnknown);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
