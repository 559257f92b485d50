// Damaged, cut off, foreign and forged files: always an Error, never a crash, never accepted.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <random>

#include "core/file/safetensors.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::TemporaryFolder;

std::string opening_error(const std::string& path) {
  return error_text([&] { SafetensorsFile file(path); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string hexadecimal(std::uint64_t sum) {
  return fmt::format("{:016x}", sum);
}

/// Changes single bytes of a file in place.
class ByteEditor {
 public:
  explicit ByteEditor(const std::string& path)
      : file_(path, std::ios::in | std::ios::out | std::ios::binary) {}
  void put(std::size_t position, char value) {
    file_.seekp(static_cast<std::streamoff>(position));
    file_.put(value).flush();
    ASSERT_TRUE(file_.good());
  }

 private:
  std::fstream file_;
};

class SafetensorsDamage : public ::testing::Test {
 protected:
  /// The content of a file with the given number of floats, as the writer makes it.
  std::string written(std::size_t floats) {
    std::vector<float> values(floats);
    std::vector<std::uint64_t> offsets = {0, 5, 9};
    std::vector<std::uint8_t> labels = {'a', 'b', 'c'};
    for (std::size_t i = 0; i < floats; ++i) values[i] = static_cast<float>(i) * 0.25F;
    const std::vector<TensorToWrite> tensors = {tensor_to_write<std::uint64_t>("offsets", offsets),
                                                tensor_to_write<float>("w", values),
                                                tensor_to_write<std::uint8_t>("labels", labels)};
    write_safetensors(path_, tensors, {{"method", "cane"}});
    EXPECT_NO_THROW(SafetensorsFile{path_});
    return TemporaryFolder::read(path_);
  }

  /// A file whose header checksum is right, whatever the header says. `entries` follow the
  /// metadata.
  void forge(const std::string& metadata, const std::string& entries, const std::string& data) {
    const std::string opening = R"({"__metadata__":{"checksum.header":")";
    std::string header(8, '\0');
    header += opening + std::string(16, '0') + "\"" + metadata + "}" + entries + "}";
    while (header.size() % 64 != 0) header += ' ';
    const std::uint64_t length = header.size() - 8;
    std::memcpy(header.data(), &length, 8);
    header.replace(8 + opening.size(), 16, hexadecimal(XXH3_64bits(header.data(), header.size())));
    folder_.write("model", header + data);
  }
  /// As above, with one tensor `t` of four zero bytes, its checksum included.
  std::string forged_tensor_error(const std::string& description) {
    const std::string data(4, '\0');
    forge(R"(,"checksum.tensor.t":")" + hexadecimal(XXH3_64bits(data.data(), 4)) + '"',
          R"(,"t":)" + description, data);
    return opening_error(path_);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("model");
};

TEST_F(SafetensorsDamage, IsFoundInEveryBitOfASmallFile) {
  const std::string content = written(3);
  ByteEditor editor(path_);
  for (std::size_t position = 0; position < content.size(); ++position) {
    for (int bit = 0; bit < 8; ++bit) {
      editor.put(position, static_cast<char>(content[position] ^ (1 << bit)));
      ASSERT_FALSE(opening_error(path_).empty()) << "byte " << position << ", bit " << bit;
    }
    editor.put(position, content[position]);
  }
  EXPECT_NO_THROW(SafetensorsFile{path_});
}

TEST_F(SafetensorsDamage, IsFoundInAThousandRandomBitsOfALargerFile) {
  const std::string content = written(20'000);
  ByteEditor editor(path_);
  std::mt19937_64 random(1);
  for (int flip = 0; flip < 1000; ++flip) {
    const std::size_t position = random() % content.size();
    editor.put(position, static_cast<char>(content[position] ^ (1 << random() % 8)));
    ASSERT_FALSE(opening_error(path_).empty()) << "byte " << position;
    editor.put(position, content[position]);
  }
  EXPECT_NO_THROW(SafetensorsFile{path_});
}

TEST_F(SafetensorsDamage, IsFoundWhereverASmallFileIsCutOff) {
  const std::string content = written(3);
  for (std::size_t length = 0; length < content.size(); ++length) {
    folder_.write("model", content.substr(0, length));
    ASSERT_TRUE(contains(opening_error(path_), "cut off")) << length;
  }
}

TEST_F(SafetensorsDamage, IsFoundAtEverySectionBoundaryOfALargerFile) {
  const std::string content = written(20'000);
  std::uint64_t header_length = 0;
  std::memcpy(&header_length, content.data(), 8);
  const std::size_t data = 8 + header_length;
  const std::size_t json_end = content.find_last_not_of(' ', data - 1) + 1;
  for (const std::size_t boundary : {std::size_t{0}, std::size_t{8}, json_end, data, data + 24,
                                     data + 24 + 80'000, data + 24 + 80'000 + 3}) {
    ASSERT_LE(boundary, content.size());
    for (const std::size_t length : {boundary - 1, boundary, boundary + 1}) {
      if (length < content.size()) {
        folder_.write("model", content.substr(0, length));
        EXPECT_TRUE(contains(opening_error(path_), "cut off")) << length;
        std::string flipped = content;
        flipped[length] = static_cast<char>(flipped[length] ^ 0x10);
        folder_.write("model", flipped);
        EXPECT_FALSE(opening_error(path_).empty()) << length;
      }
    }
  }
  folder_.write("model", content + '\0');
  EXPECT_TRUE(contains(opening_error(path_), "1 bytes follow the last tensor"));
}

TEST_F(SafetensorsDamage, IsNamedWithTheFileAndTheRemedy) {
  std::string content = written(3);
  content[content.size() - 1] ^= 1;
  folder_.write("model", content);
  EXPECT_EQ(opening_error(path_),
            path_ +
                ": the checksum of tensor 'labels' does not match; the file is damaged or was made "
                "by another program: train again or fetch it again");
}

TEST_F(SafetensorsDamage, IsToldApartFromAFileOfAnotherKind) {
  for (const std::string text : {"1 2:0.5 7:1\n",
                                 "\x7f"
                                 "ELF\x02\x01\x01 and so on"}) {
    folder_.write("model", text);
    EXPECT_TRUE(contains(opening_error(path_), "not a safetensors file")) << text;
  }
  folder_.write("model", "");
  EXPECT_TRUE(contains(opening_error(path_), "0 bytes are too short"));
  EXPECT_TRUE(contains(opening_error(folder_.path("missing")), "cannot open"));
}

TEST_F(SafetensorsDamage, IsToldApartFromAFileOfAnotherWriter) {
  for (const std::string json :
       {R"({"__metadata__":{"format":"pt"},"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
        R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "{}"}) {
    std::string header(8, '\0');
    header[0] = static_cast<char>(json.size());
    folder_.write("model", header + json + (json == "{}" ? "" : "x"));
    EXPECT_TRUE(contains(opening_error(path_), "not written by cane")) << json;
  }
}

TEST_F(SafetensorsDamage, OfTheHeaderIsFoundEvenUnderARightChecksum) {
  const auto error_of = [&](const std::string& metadata, const std::string& entries) {
    forge(metadata, entries, "");
    return opening_error(path_);
  };
  forge("", "", "");
  EXPECT_NO_THROW(SafetensorsFile{path_});
  EXPECT_TRUE(contains(error_of("", ","), "not JSON"));
  EXPECT_TRUE(contains(error_of(",\"a\":\"\xff\"", ""), "not JSON"));
  EXPECT_TRUE(contains(error_of(R"(,"a":1)", ""), "metadata 'a' is no string"));
  EXPECT_TRUE(contains(error_of(R"(,"a":"1","a":"2")", ""), "has 'a' twice"));
  EXPECT_TRUE(contains(error_of("", R"(,"__metadata__":{})"), "has '__metadata__' twice"));
  EXPECT_TRUE(contains(error_of(R"(,"checksum.tensor.t":"0")", ""), "checksum of nothing"));
  EXPECT_TRUE(contains(error_of("", R"(,"t":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})"),
                       "'t' has no checksum"));
  EXPECT_TRUE(contains(error_of("", ",\"t\":" + std::string(1'000'000, '[')), "nested too deeply"));
}

TEST_F(SafetensorsDamage, OfATensorsDescriptionIsFoundEvenUnderARightChecksum) {
  const auto error = [&](const std::string& text) { return forged_tensor_error(text); };
  forge(R"(,"checksum.tensor.t":")" + hexadecimal(XXH3_64bits("\0\0\0\0", 4)) + '"',
        R"(,"t":{"dtype":"U32","shape":[1],"data_offsets":[0,4]})", std::string(4, '\0'));
  EXPECT_NO_THROW(SafetensorsFile{path_});

  for (const std::string text : {"1", "[]", "{}", R"({"dtype":"U8","shape":[4]})",
                                 R"({"dtype":"U8","shape":[4],"data_offsets":[0,4],"more":1})"}) {
    EXPECT_TRUE(contains(error(text), "is not described by")) << text;
  }
  for (const std::string dtype : {R"("BF16")", R"("u8")", R"("")", "8", "null"}) {
    EXPECT_TRUE(contains(error(R"({"shape":[4],"data_offsets":[0,4],"dtype":)" + dtype + "}"),
                         "dtype that cane does not use"))
        << dtype;
  }
  for (const std::string shape : {"4", "[-4]", "[4.0]", R"(["4"])", "[null]", "null"}) {
    EXPECT_TRUE(contains(error(R"({"dtype":"U8","data_offsets":[0,4],"shape":)" + shape + "}"),
                         "no list of sizes"))
        << shape;
  }
  for (const std::string offsets : {"4", "[]", "[0]", "[0,4,4]", "[-1,3]", "[0,4.0]"}) {
    EXPECT_TRUE(contains(error(R"({"dtype":"U8","shape":[4],"data_offsets":)" + offsets + "}"),
                         "no pair of offsets"))
        << offsets;
  }
  // The last two shapes multiply to 4 and 0 modulo 2^64.
  for (const std::string shape_and_offsets :
       {R"([3],"data_offsets":[0,4])", R"([4],"data_offsets":[4,0])", R"([],"data_offsets":[0,4])",
        R"([4611686018427387905,4],"data_offsets":[0,4])",
        R"([4294967296,4294967296],"data_offsets":[0,0])"}) {
    EXPECT_TRUE(contains(error(R"({"dtype":"U8","shape":)" + shape_and_offsets + "}"),
                         "do not fit its shape"))
        << shape_and_offsets;
  }
}

TEST_F(SafetensorsDamage, OfTheOrderOfTensorsIsFoundEvenUnderARightChecksum) {
  const auto error_of = [&](const std::string& first, const std::string& second) {
    forge("", R"(,"a":{"dtype":"U8",)" + first + R"(},"b":{"dtype":"U32",)" + second + "}",
          std::string(8, '\0'));
    return opening_error(path_);
  };
  const auto gap =
      error_of(R"("shape":[3],"data_offsets":[0,3])", R"("shape":[1],"data_offsets":[4,8])");
  EXPECT_TRUE(contains(gap, "'b' begins at offset 4 of the data, not at 3")) << gap;
  const auto overlap =
      error_of(R"("shape":[5],"data_offsets":[0,5])", R"("shape":[1],"data_offsets":[4,8])");
  EXPECT_TRUE(contains(overlap, "'b' begins at offset 4 of the data, not at 5")) << overlap;
  const auto late =
      error_of(R"("shape":[0],"data_offsets":[4,4])", R"("shape":[1],"data_offsets":[4,8])");
  EXPECT_TRUE(contains(late, "'a' begins at offset 4 of the data, not at 0")) << late;
  const auto misaligned =
      error_of(R"("shape":[3],"data_offsets":[0,3])", R"("shape":[1],"data_offsets":[3,7])");
  EXPECT_TRUE(contains(misaligned, "'b' is not aligned")) << misaligned;
  const auto beyond =
      error_of(R"("shape":[8],"data_offsets":[0,8])", R"("shape":[1],"data_offsets":[8,12])");
  EXPECT_TRUE(contains(beyond, "cut off")) << beyond;
}

TEST_F(SafetensorsDamage, OfTheLengthFieldIsFound) {
  std::string content = written(3);
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{60}, content.size() - 8,
        content.size() - 7, std::uint64_t{100'000'001}, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    std::memcpy(content.data(), &length, 8);
    folder_.write("model", content);
    EXPECT_FALSE(opening_error(path_).empty()) << length;
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
