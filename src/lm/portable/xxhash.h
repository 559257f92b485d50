// Stands in for the header of xxHash on a machine that has none: XXH3 with 64 bits and the default
// secret, as files are summed up with it. The names are those of the library, the bits too (a test
// compares them); only for little-endian machines, and without its speed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

using XXH64_hash_t = std::uint64_t;

namespace cane::xxh3 {

inline constexpr std::size_t kStripe = 64;
inline constexpr std::size_t kBlock = 1024;
inline constexpr std::size_t kSecretBytes = 192;
inline constexpr std::uint64_t kPrimes32[] = {0x9E3779B1U, 0x85EBCA77U, 0xC2B2AE3DU};
inline constexpr std::uint64_t kPrimes64[] = {0x9E3779B185EBCA87ULL, 0xC2B2AE3D27D4EB4FULL,
                                              0x165667B19E3779F9ULL, 0x85EBCA77C2B2AE63ULL,
                                              0x27D4EB2F165667C5ULL};
// The default secret of the algorithm, in words of eight bytes.
inline constexpr std::uint64_t kSecretWords[kSecretBytes / 8] = {
    0xbe4ba423396cfeb8ULL, 0x1cad21f72c81017cULL, 0xdb979083e96dd4deULL, 0x1f67b3b7a4a44072ULL,
    0x78e5c0cc4ee679cbULL, 0x2172ffcc7dd05a82ULL, 0x8e2443f7744608b8ULL, 0x4c263a81e69035e0ULL,
    0xcb00c391bb52283cULL, 0xa32e531b8b65d088ULL, 0x4ef90da297486471ULL, 0xd8acdea946ef1938ULL,
    0x3f349ce33f76faa8ULL, 0x1d4f0bc7c7bbdcf9ULL, 0x3159b4cd4be0518aULL, 0x647378d9c97e9fc8ULL,
    0xc3ebd33483acc5eaULL, 0xeb6313faffa081c5ULL, 0x49daf0b751dd0d17ULL, 0x9e68d429265516d3ULL,
    0xfca1477d58be162bULL, 0xce31d07ad1b8f88fULL, 0x280416958f3acb45ULL, 0x7e404bbbcafbd7afULL,
};

template <typename Word>
Word load(const std::uint8_t* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  return word;
}
inline const std::uint8_t* secret() {
  return reinterpret_cast<const std::uint8_t*>(kSecretWords);
}
inline std::uint64_t secret64(std::size_t offset) {
  return load<std::uint64_t>(secret() + offset);
}
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
inline std::uint64_t avalanche(std::uint64_t hash) {
  hash = (hash ^ (hash >> 37)) * 0x165667919E3779F9ULL;
  return hash ^ (hash >> 32);
}
inline std::uint64_t strong_avalanche(std::uint64_t hash) {
  hash = (hash ^ (hash >> 33)) * kPrimes64[1];
  hash = (hash ^ (hash >> 29)) * kPrimes64[2];
  return hash ^ (hash >> 32);
}
inline std::uint64_t mix16(const std::uint8_t* input, std::size_t offset) {
  return folded_product(load<std::uint64_t>(input) ^ secret64(offset),
                        load<std::uint64_t>(input + 8) ^ secret64(offset + 8));
}

inline std::uint64_t up_to_16(const std::uint8_t* input, std::size_t length) {
  if (length == 0) return strong_avalanche(secret64(56) ^ secret64(64));
  if (length <= 3) {
    const std::uint32_t combined = (std::uint32_t{input[0]} << 16) |
                                   (std::uint32_t{input[length / 2]} << 24) | input[length - 1] |
                                   (static_cast<std::uint32_t>(length) << 8);
    const std::uint64_t words = secret64(0);
    const std::uint64_t flip = (words & 0xFFFFFFFFU) ^ (words >> 32);
    return strong_avalanche(combined ^ flip);
  }
  if (length <= 8) {
    const std::uint64_t low = load<std::uint32_t>(input + length - 4);
    const std::uint64_t high = load<std::uint32_t>(input);
    std::uint64_t hash = (low + (high << 32)) ^ (secret64(8) ^ secret64(16));
    hash ^= std::rotl(hash, 49) ^ std::rotl(hash, 24);
    hash *= 0x9FB21C651E98DF25ULL;
    hash ^= (hash >> 35) + length;
    hash *= 0x9FB21C651E98DF25ULL;
    return hash ^ (hash >> 28);
  }
  const std::uint64_t low = load<std::uint64_t>(input) ^ secret64(24) ^ secret64(32);
  const std::uint64_t high = load<std::uint64_t>(input + length - 8) ^ secret64(40) ^ secret64(48);
  return avalanche(length + __builtin_bswap64(low) + high + folded_product(low, high));
}

inline std::uint64_t up_to_240(const std::uint8_t* input, std::size_t length) {
  std::uint64_t sum = length * kPrimes64[0];
  if (length <= 128) {
    const std::size_t pairs = (length + 31) / 32;
    for (std::size_t i = 0; i < pairs; ++i) {
      sum += mix16(input + 16 * i, 32 * i) + mix16(input + length - 16 * (i + 1), 32 * i + 16);
    }
    return avalanche(sum);
  }
  for (std::size_t i = 0; i < 8; ++i) sum += mix16(input + 16 * i, 16 * i);
  sum = avalanche(sum);
  for (std::size_t i = 8; i < length / 16; ++i) sum += mix16(input + 16 * i, 16 * (i - 8) + 3);
  return avalanche(sum + mix16(input + length - 16, 136 - 17));
}

}  // namespace cane::xxh3

struct XXH3_state_t {
  std::array<std::uint64_t, 8> sums;
  std::string before;   // the last stripe of what is summed up
  std::string pending;  // not summed up yet: at most a block, and never empty once there was input
  std::uint64_t length;
};
enum XXH_errorcode { XXH_OK = 0, XXH_ERROR };

namespace cane::xxh3 {

inline void add_stripe(XXH3_state_t& state, const std::uint8_t* input, std::size_t offset) {
  for (std::size_t i = 0; i < 8; ++i) {
    const auto value = load<std::uint64_t>(input + 8 * i);
    const std::uint64_t keyed = value ^ secret64(offset + 8 * i);
    state.sums[i ^ 1] += value;
    state.sums[i] += (keyed & 0xFFFFFFFFU) * (keyed >> 32);
  }
}

inline void add_block(XXH3_state_t& state, const std::uint8_t* input) {
  for (std::size_t i = 0; i < kBlock / kStripe; ++i) add_stripe(state, input + kStripe * i, 8 * i);
  for (std::size_t i = 0; i < 8; ++i) {
    std::uint64_t& sum = state.sums[i];
    sum = (sum ^ (sum >> 47) ^ secret64(kSecretBytes - kStripe + 8 * i)) * kPrimes32[0];
  }
}

}  // namespace cane::xxh3

inline XXH3_state_t* XXH3_createState() {
  return new XXH3_state_t;
}
inline XXH_errorcode XXH3_freeState(XXH3_state_t* state) {
  delete state;
  return XXH_OK;
}

inline XXH_errorcode XXH3_64bits_reset(XXH3_state_t* state) {
  using namespace cane::xxh3;
  state->sums = {kPrimes32[2], kPrimes64[0], kPrimes64[1], kPrimes64[2],
                 kPrimes64[3], kPrimes32[1], kPrimes64[4], kPrimes32[0]};
  state->before.clear();
  state->pending.clear();
  state->length = 0;
  return XXH_OK;
}

inline XXH_errorcode XXH3_64bits_update(XXH3_state_t* state, const void* input,
                                        std::size_t length) {
  using namespace cane::xxh3;
  const auto* bytes = static_cast<const char*>(input);
  state->length += length;
  while (length > 0) {
    // A block is summed up only when something follows it: the end is treated on its own.
    if (state->pending.size() == kBlock) {
      add_block(*state, reinterpret_cast<const std::uint8_t*>(state->pending.data()));
      state->before = state->pending.substr(kBlock - kStripe);
      state->pending.clear();
    }
    const std::size_t taken = std::min(length, kBlock - state->pending.size());
    state->pending.append(bytes, taken);
    bytes += taken;
    length -= taken;
  }
  return XXH_OK;
}

inline XXH64_hash_t XXH3_64bits_digest(const XXH3_state_t* state) {
  using namespace cane::xxh3;
  constexpr std::size_t kShort = 240;
  const auto* pending = reinterpret_cast<const std::uint8_t*>(state->pending.data());
  if (state->length <= 16) return up_to_16(pending, state->pending.size());
  if (state->length <= kShort) return up_to_240(pending, state->pending.size());
  XXH3_state_t end = *state;
  const std::size_t stripes = (state->pending.size() - 1) / kStripe;
  for (std::size_t i = 0; i < stripes; ++i) add_stripe(end, pending + kStripe * i, 8 * i);
  const std::string tail = state->before + state->pending;
  add_stripe(end, reinterpret_cast<const std::uint8_t*>(tail.data()) + tail.size() - kStripe,
             kSecretBytes - kStripe - 7);
  std::uint64_t hash = state->length * kPrimes64[0];
  for (std::size_t i = 0; i < 4; ++i) {
    hash += folded_product(end.sums[2 * i] ^ secret64(11 + 16 * i),
                           end.sums[2 * i + 1] ^ secret64(19 + 16 * i));
  }
  return avalanche(hash);
}

inline XXH64_hash_t XXH3_64bits(const void* input, std::size_t length) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, input, length);
  return XXH3_64bits_digest(&state);
}
