#include <gtest/gtest.h>

#include <string>

#include "lm/portable/xxhash.h"

namespace cane::lm {
namespace {

struct Known {
  std::size_t length;
  std::uint64_t hash;
};

// What the library says of the first bytes of the text below; every branch, and its ends.
constexpr Known kKnown[] = {
    {0, 0x2d06800538d394c2ULL},    {1, 0xc44bdff4074eecdbULL},    {2, 0x1ca5cfa6a6d57dc2ULL},
    {3, 0xa1c4a8259b827291ULL},    {4, 0xbb4e3d89ee0b271dULL},    {8, 0x79d02238b80e37b1ULL},
    {9, 0xf64cecc4271ff461ULL},    {16, 0x222e9aead6bddd51ULL},   {17, 0x47aad6b375eb4bbaULL},
    {32, 0x774140158f21ff0aULL},   {33, 0x537e7ed26d825e92ULL},   {128, 0x421a9c905c6e66baULL},
    {129, 0x9e2414800f83768aULL},  {240, 0xb714c5fd22744964ULL},  {241, 0xbc424a2c480dd281ULL},
    {1023, 0x3071307bafa2f8f4ULL}, {1024, 0x1fd15e7d36f5e1bcULL}, {1025, 0xfe08e5a874d23fd2ULL},
    {1088, 0x0ac7cf3a6009bab5ULL}, {2048, 0x81ec4a6a9ee23d55ULL}, {5000, 0x853377ef13cec7bdULL},
};

TEST(PortableXxhash, GivesTheBitsOfTheLibrary) {
  std::string text;
  for (std::uint32_t i = 0; i < 6000; ++i) text += static_cast<char>((i * 2654435761U) >> 13);
  for (const auto& [length, hash] : kKnown) {
    EXPECT_EQ(XXH3_64bits(text.data(), length), hash) << length;
    XXH3_state_t* state = XXH3_createState();
    XXH3_64bits_reset(state);
    for (std::size_t begin = 0; begin < length; begin += 700) {
      XXH3_64bits_update(state, text.data() + begin, std::min<std::size_t>(700, length - begin));
    }
    EXPECT_EQ(XXH3_64bits_digest(state), hash) << length;
    XXH3_freeState(state);
  }
}

}  // namespace
}  // namespace cane::lm
