#include "core/file/checksum.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace cane {
namespace CANE_THIS_FILE {

std::vector<std::byte> some_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * i % 251);
  return bytes;
}

std::string expected(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

/// What another process gets.
Checksum sent(const Checksum& sum) {
  std::vector<std::byte> message(sizeof sum);
  std::memcpy(message.data(), &sum, sizeof sum);
  Checksum received;
  std::memcpy(&received, message.data(), sizeof received);
  return received;
}

// XXH3 treats up to 16, 128 and 240 bytes each in its own way, gathers 256 of longer ones, and has
// blocks of 1024.
TEST(Checksum, IsThatOfTheLibraryHoweverTheBytesArePartedAndHandedOn) {
  for (const std::size_t count :
       {0U, 1U, 16U, 17U, 128U, 129U, 240U, 241U, 256U, 257U, 1024U, 1025U, 5000U}) {
    const std::vector<std::byte> bytes = some_bytes(count);
    EXPECT_EQ(checksum_of(bytes), expected(bytes)) << count;
    for (const std::size_t part : {1U, 7U, 64U, 255U, 256U, 300U, 1024U, 2000U}) {
      Checksum sum;
      for (std::size_t begin = 0; begin < count; begin += part) {
        sum.add(std::span(bytes).subspan(begin, std::min(part, count - begin)));
        sum = sent(sum);
      }
      EXPECT_EQ(sum.digits(), expected(bytes)) << count << " bytes in parts of " << part;
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
