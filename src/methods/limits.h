// The largest values of options that the sizes of tables and numbers of nodes allow.
#pragma once

#include <cstdint>

namespace cane {

inline constexpr std::uint32_t kMaxRank = 64;
inline constexpr std::uint32_t kMaxWidthEncoder = 4096;
inline constexpr std::uint32_t kMaxDepthEncoder = 16;
/// The most inner nodes of a LOMTree.
inline constexpr std::uint32_t kMaxNodes = 1U << 30;
/// Routers of a Recall Tree are numbered by 32 bits, and all of them are there from the start.
inline constexpr std::uint32_t kMaxDepthRecallTree = 30;

}  // namespace cane
