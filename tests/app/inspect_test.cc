#include "app/verb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lm/file/lm_metadata.h"
#include "support/temporary_folder.h"

namespace cane::cli {
namespace CANE_THIS_FILE {

using cane::testing::TemporaryFolder;
using ::testing::HasSubstr;

/// A file like that of a language model, with two words and one learned tensor.
void write_language_model(const std::string& path,
                          const std::map<std::string, std::string>& metadata) {
  const std::vector<std::uint64_t> counts = {1234, 5};
  const std::vector<std::uint64_t> ends = {3, 6};
  const std::vector<float> rows(6, 0.5F);
  const std::vector<std::uint8_t> bytes = {'t', 'h', 'e', 'c', 'a', 't'};
  const TensorToWrite tensors[] = {
      tensor_to_write<std::uint64_t>(kLmWordCounts, counts),
      tensor_to_write<std::uint64_t>(kLmWordEnds, ends),
      tensor_to_write<float>("head.class_rows", rows, {2, 3}),
      tensor_to_write<std::uint8_t>(kLmWordBytes, bytes),
  };
  write_safetensors(path, tensors, metadata);
}

std::string inspected(const std::string& path, const char* option = nullptr) {
  const Verb verb = {"inspect", "", run_inspect};
  Arguments arguments = {path};
  if (option != nullptr) arguments.emplace_back(option);
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_inspect(verb, arguments), kExitDone);
  return ::testing::internal::GetCapturedStdout();
}

TEST(Inspect, DescribesALanguageModelOfThisVersionAndOfTheFirst) {
  const TemporaryFolder folder;
  write_language_model(
      folder.path("new"),
      to_metadata({{{"head", "cane"}, {"dropout", "0.3"}, {"tied", "false"}}, {{"epoch", "3"}}},
                  "cane-lm test"));
  write_language_model(folder.path("old"), {{"format", "cane-lm model 1"},
                                            {"option.head", "cane"},
                                            {"option.dropout", "0.3"},
                                            {"option.tied", "false"},
                                            {"note.epoch", "3"}});
  const std::string text = inspected(folder.path("new"));
  EXPECT_EQ(text, inspected(folder.path("old")));
  EXPECT_THAT(text, HasSubstr("words                    2\n"));
  EXPECT_THAT(text, HasSubstr("the (1,234), cat (5)\n"));
  EXPECT_THAT(text, HasSubstr("  dropout                0.3\n"));
  EXPECT_THAT(text, HasSubstr("  epoch                  3\n"));
  EXPECT_THAT(text, HasSubstr("  head.class_rows        2 x 3\n  weights in all         6\n"));
  EXPECT_EQ(inspected(folder.path("new"), "--labels"), "the\ncat\n");
  EXPECT_THAT(inspected(folder.path("old"), "--json"),
              HasSubstr("\"model\":{\"dropout\":0.3,\"head\":\"cane\",\"tied\":false}"));
}

TEST(Inspect, KnowsALanguageModelFromOtherFiles) {
  const TemporaryFolder folder;
  write_language_model(folder.path("other"), {{"cane.format_version", "2"}});
  EXPECT_FALSE(lm_metadata_of(SafetensorsFile(folder.path("other"))));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli
