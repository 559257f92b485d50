#pragma once

#include <string>
#include <string_view>

namespace cane::cli {

/// Escapes text for text or attributes of XML and HTML. Characters that XML cannot hold become '?'.
std::string escaped(std::string_view text);

}  // namespace cane::cli
