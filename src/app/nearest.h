#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cane::cli {

/// The name that is the fewest edits away from `typed`; empty if none is near.
std::string nearest_name(std::string_view typed, std::span<const std::string_view> names);
/// " (do you mean 'train'?)", or nothing if no name is near.
std::string suggestion(std::string_view typed, std::span<const std::string_view> names);

}  // namespace cane::cli
