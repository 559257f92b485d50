#include "core/file/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cane/error.h"
#include "core/file/mapped_file.h"
#include "support/error_text.h"
#include "support/temporary_folder.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::error_text;
using testing::TemporaryFolder;

const std::vector<std::uint64_t> kLongs = {1, std::uint64_t{1} << 63, 3};
const std::vector<float> kFloats = {0.5F, -1.0F, 3e38F, 0.0F, 1.0F, 2.0F};
const std::vector<std::uint32_t> kNone = {};
const std::vector<std::uint8_t> kBytes = {0, 255, 7};

std::vector<TensorToWrite> some_tensors() {
  return {tensor_to_write<std::uint64_t>("longs", kLongs),
          tensor_to_write<float>("floats", kFloats, {2, 3}),
          tensor_to_write<std::uint32_t>("none", kNone),
          tensor_to_write<std::uint8_t>("bytes", kBytes)};
}

template <typename T>
std::vector<T> copy(std::span<const T> values) {
  return {values.begin(), values.end()};
}

TEST(Safetensors, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::map<std::string, std::string> metadata = {
      {"options", R"({"lr":0.5})"}, {"quoted\"checksum.header", "\n\tä"}, {"empty", ""}};
  write_safetensors(folder.path("model"), some_tensors(), metadata);

  const SafetensorsFile file(folder.path("model"));
  EXPECT_EQ(file.path(), folder.path("model"));
  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_EQ(file.metadata("options"), R"({"lr":0.5})");
  EXPECT_EQ(file.tensors().size(), 4U);
  EXPECT_EQ(copy(file.values<std::uint64_t>("longs")), kLongs);
  EXPECT_EQ(copy(file.values<float>("floats")), kFloats);
  EXPECT_EQ(copy(file.values<std::uint32_t>("none")), kNone);
  EXPECT_EQ(copy(file.values<std::uint8_t>("bytes")), kBytes);
  EXPECT_EQ(file.tensors().at("floats").shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(file.tensors().at("floats").type, TensorType::kFloat32);
  EXPECT_TRUE(file.has("none"));
  EXPECT_FALSE(file.has("checksum.header"));
}

TEST(Safetensors, NeedsNeitherTensorsNorMetadata) {
  const TemporaryFolder folder;
  write_safetensors(folder.path("model"), {}, {});
  const SafetensorsFile file(folder.path("model"));
  EXPECT_TRUE(file.tensors().empty());
  EXPECT_TRUE(file.metadata().empty());
}

TEST(Safetensors, ValuesOutliveTheFileObjectWithItsMapping) {
  const TemporaryFolder folder;
  write_safetensors(folder.path("model"), some_tensors(), {});
  std::span<const float> values;
  std::shared_ptr<const MappedFile> mapping;
  {
    const SafetensorsFile file(folder.path("model"));
    values = file.values<float>("floats");
    mapping = file.mapping();
  }
  EXPECT_EQ(copy(values), kFloats);
}

TEST(Safetensors, BeginsTheDataAtAMultipleOf64Bytes) {
  const TemporaryFolder folder;
  std::map<std::string, std::string> metadata;
  for (int length = 0; length < 130; ++length) {
    metadata["padding"].push_back('x');
    write_safetensors(folder.path("model"), some_tensors(), metadata);
    const SafetensorsFile file(folder.path("model"));
    const auto address =
        reinterpret_cast<std::uintptr_t>(file.values<std::uint64_t>("longs").data());
    EXPECT_EQ(address % 64, 0U) << length;
  }
}

/// A reader made from the public description of the format alone: 8 bytes of little-endian header
/// length N, N bytes of JSON that begin with '{' and may end in spaces, then the tensors.
struct PlainReader {
  explicit PlainReader(const std::string& content) {
    std::uint64_t length = 0;
    for (int byte = 7; byte >= 0; --byte) {
      length = length << 8 | static_cast<unsigned char>(content.at(static_cast<std::size_t>(byte)));
    }
    header = nlohmann::json::parse(content.substr(8, length));
    opening = content.at(8);
    data = content.substr(8 + length);
  }
  nlohmann::json header;
  char opening = 0;
  std::string data;
};

TEST(Safetensors, FollowsThePublicFormat) {
  const TemporaryFolder folder;
  write_safetensors(folder.path("model"), some_tensors(), {{"writer", "someone"}});
  const PlainReader plain(TemporaryFolder::read(folder.path("model")));
  EXPECT_EQ(plain.opening, '{');

  const auto& metadata = plain.header.at("__metadata__");
  EXPECT_EQ(metadata.at("writer").get<std::string>(), "someone");
  for (const auto& value : metadata) EXPECT_TRUE(value.is_string());

  const std::map<std::string, std::size_t> sizes = {{"U8", 1}, {"U32", 4}, {"F32", 4}, {"U64", 8}};
  std::map<std::pair<std::size_t, std::size_t>, std::string> ranges;
  for (const auto& [name, tensor] : plain.header.items()) {
    if (name == "__metadata__") continue;
    std::size_t bytes = sizes.at(tensor.at("dtype").get<std::string>());
    for (const auto& length : tensor.at("shape")) bytes *= length.get<std::size_t>();
    const auto begin = tensor.at("data_offsets").at(0).get<std::size_t>();
    const auto end = tensor.at("data_offsets").at(1).get<std::size_t>();
    EXPECT_EQ(end - begin, bytes) << name;
    EXPECT_TRUE(ranges.emplace(std::pair(begin, end), name).second);
  }
  ASSERT_EQ(ranges.size(), 4U);
  std::size_t expected = 0;
  for (const auto& [range, name] : ranges) {
    EXPECT_EQ(range.first, expected) << name;
    expected = range.second;
  }
  EXPECT_EQ(expected, plain.data.size());

  const auto& floats_entry = plain.header.at("floats");
  EXPECT_EQ(floats_entry.at("dtype").get<std::string>(), "F32");
  EXPECT_EQ(floats_entry.at("shape").dump(), "[2,3]");
  std::vector<float> floats(6);
  const auto begin = floats_entry.at("data_offsets").at(0).get<std::size_t>();
  std::memcpy(floats.data(), plain.data.data() + begin, floats.size() * sizeof(float));
  EXPECT_EQ(floats, kFloats);
}

TEST(Safetensors, NamesWhatIsMissingOrOfAnotherType) {
  const TemporaryFolder folder;
  write_safetensors(folder.path("model"), some_tensors(), {});
  const SafetensorsFile file(folder.path("model"));
  EXPECT_THAT(error_text([&] { file.metadata("method"); }),
              ::testing::HasSubstr("'method' is missing"));
  EXPECT_THAT(error_text([&] { file.values<float>("weights"); }),
              ::testing::HasSubstr("'weights' is missing"));
  EXPECT_THAT(error_text([&] { file.values<float>("longs"); }),
              ::testing::HasSubstr("'longs' is U64, not F32"));
}

TEST(Safetensors, WritesLargerAlignmentsFirstAndKeepsTheGivenOrderOtherwise) {
  const TemporaryFolder folder;
  const std::vector<float> table(16, 0.5F);
  TensorToWrite aligned = tensor_to_write<float>("table", table);
  aligned.alignment = 64;
  write_safetensors(
      folder.path("model"),
      {{tensor_to_write<std::uint8_t>("bytes", kBytes), tensor_to_write<float>("floats", kFloats),
        aligned, tensor_to_write<std::uint64_t>("longs", kLongs),
        tensor_to_write<std::uint8_t>("more bytes", kBytes),
        tensor_to_write<std::uint32_t>("none", kNone)}},
      {});
  const SafetensorsFile file(folder.path("model"));
  std::map<const std::byte*, std::string> order;
  for (const auto& [name, tensor] : file.tensors()) {
    if (!tensor.bytes.empty()) order[tensor.bytes.data()] = name;
  }
  std::vector<std::string> names;
  for (const auto& [address, name] : order) names.push_back(name);
  EXPECT_THAT(names, ::testing::ElementsAre("table", "longs", "floats", "bytes", "more bytes"));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(order.begin()->first) % 64, 0U);
}

TEST(Safetensors, RefusesToWriteWhatItCouldNotRead) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::vector<TensorToWrite>& tensors,
                           const std::map<std::string, std::string>& metadata) {
    return error_text([&] { write_safetensors(folder.path("model"), tensors, metadata); });
  };
  const auto longs = tensor_to_write<std::uint64_t>("longs", kLongs);
  TensorToWrite bytes = tensor_to_write<std::uint8_t>("bytes", kBytes);
  bytes.alignment = 16;
  EXPECT_THAT(refusal({bytes, longs}, {}), ::testing::HasSubstr("'longs' would begin at offset 3"));
  EXPECT_THAT(refusal({longs, longs}, {}), ::testing::HasSubstr("'longs' is taken"));
  EXPECT_THAT(refusal({tensor_to_write<std::uint8_t>("__metadata__", kBytes)}, {}),
              ::testing::HasSubstr("is taken"));
  EXPECT_THAT(refusal({tensor_to_write<std::uint8_t>("bytes", kBytes, {2, 2})}, {}),
              ::testing::HasSubstr("'bytes'"));
  EXPECT_THAT(refusal({}, {{"checksum.mine", ""}}), ::testing::HasSubstr("kept for checksums"));
  EXPECT_THAT(refusal({}, {{"label", "\xff"}}), ::testing::HasSubstr("not UTF-8"));
  EXPECT_THAT(refusal({}, {{"long", std::string(100'000'001, 'x')}}),
              ::testing::HasSubstr("the format allows"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("model")));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
