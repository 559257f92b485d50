#include "core/file/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

enum class Colour { kRed, kGreen };
constexpr const char* kColours[] = {"red", "green"};

struct Things {
  std::vector<std::uint32_t> numbers;
  std::array<float, 3> fixed = {};
  const float* viewed = nullptr;
  std::vector<std::string> words;
  std::uint64_t count = 0;
  Colour colour = Colour::kRed;
  Normalize normalize = Normalize::kNone;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::vector<double> extra;
};

template <typename Archive, typename Described>
void describe(Archive& archive, Described& things, bool compressed, bool has_extra) {
  archive.values("numbers", things.numbers);
  archive.fill("fixed", std::span(things.fixed.data(), things.fixed.size()));
  archive.view("viewed", things.viewed, 4, 16);
  archive.strings("words", things.words, compressed);
  archive.fields("things", [&](auto& fields) {
    fields("count", things.count);
    fields.choice("colour", things.colour, kColours);
    fields("normalize", things.normalize);
    fields.pair("range", things.low, things.high);
  });
  if (archive.has_tensor("extra", has_extra)) archive.values("extra", things.extra);
}

class ArchiveTest : public ::testing::Test {
 protected:
  ArchiveTest() {
    things_.numbers = {1, 2, 3};
    things_.fixed = {0.5F, 1.5F, 2.5F};
    things_.viewed = table_.data();
    things_.words = {"a", "", std::string(600, 'b'), "c d"};
    things_.count = std::uint64_t{1} << 60;
    things_.colour = Colour::kGreen;
    things_.normalize = Normalize::kL2;
    things_.low = 3;
    things_.high = 5;
    things_.extra = {1e300};
  }
  void write(bool compressed, bool has_extra) const {
    ArchiveWriter archive;
    describe(archive, things_, compressed, has_extra);
    archive.write(path_);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("things");
  std::array<float, 4> table_ = {4.0F, 3.0F, 2.0F, 1.0F};
  Things things_;
};

TEST_F(ArchiveTest, ReadsWhatTheSameDescriptionWrote) {
  for (const bool compressed : {false, true}) {
    for (const bool has_extra : {false, true}) {
      write(compressed, has_extra);
      Things read;
      std::shared_ptr<const void> storage;
      {
        const SafetensorsFile file(path_);
        ArchiveReader archive(file);
        describe(archive, read, compressed, false);
        storage = archive.storage();
      }
      EXPECT_EQ(read.numbers, things_.numbers);
      EXPECT_EQ(read.fixed, things_.fixed);
      EXPECT_THAT(std::span(read.viewed, 4), ::testing::ElementsAreArray(table_));
      EXPECT_EQ(read.words, things_.words);
      EXPECT_EQ(read.count, things_.count);
      EXPECT_EQ(read.colour, Colour::kGreen);
      EXPECT_EQ(read.normalize, Normalize::kL2);
      EXPECT_EQ(read.low, 3U);
      EXPECT_EQ(read.high, 5U);
      EXPECT_EQ(read.extra, has_extra ? things_.extra : std::vector<double>());
    }
  }
}

TEST_F(ArchiveTest, RefusesOtherCountsThanTheDescriptionSays) {
  write(false, false);
  const SafetensorsFile file(path_);
  const ArchiveReader archive(file);
  std::array<float, 2> shorter = {};
  EXPECT_THAT(error_text([&] { archive.fill("fixed", std::span(shorter.data(), shorter.size())); }),
              HasSubstr("fixed does not fit the model: it has 3 values instead of 2"));
  const float* viewed = nullptr;
  EXPECT_THAT(error_text([&] { archive.view("viewed", viewed, 5); }),
              HasSubstr("does not fit the model"));
}

TEST_F(ArchiveTest, RefusesFieldsThatAreMissingUnknownOrOfAnotherType) {
  for (const auto& [json, words] : {std::pair(R"({"count":-1})", "its things cannot be read"),
                                    std::pair(R"({"colour":"red"})", "its things cannot be read"),
                                    std::pair("[", "its things cannot be read"),
                                    std::pair(R"({"count":1,"colour":"blue"})",
                                              "its colour is 'blue', which this program does not "
                                              "know; use the program that wrote it")}) {
    write_safetensors(path_, {}, {{"things", json}});
    const SafetensorsFile file(path_);
    const ArchiveReader archive(file);
    Things things;
    EXPECT_THAT(error_text([&] {
                  archive.fields("things", [&](auto& fields) {
                    fields("count", things.count);
                    fields.choice("colour", things.colour, kColours);
                  });
                }),
                HasSubstr(words))
        << json;
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
