// A method as a word: METHOD[:SELECT][:CANDIDATES+NOISES or :NOISES], cane:narrow:9+1 or nce:10.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "cane/config.h"
#include "cane/error.h"
#include "cane/names.h"

namespace cane::bench {

inline std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

inline bool is_method(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  for (const auto& entry : kNames<Method>) {
    if (entry.name == name) return true;
  }
  return false;
}

/// Throws Error where a part is neither a selector nor numbers.
inline TrainConfig config_of(const std::string& spec) {
  const auto number = [&](const std::string& text) {
    std::uint32_t value = 0;
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data(), end, value).ptr != end || value == 0) {
      throw Error(fmt::format("{}: '{}' is no number above 0", spec, text));
    }
    return value;
  };
  const auto parts = parts_of(spec, ':');
  TrainConfig config;
  config.method = value_named<Method>("method", parts.empty() ? "" : parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].find_first_of("0123456789") != 0) {
      config.select = value_named<Select>("select", parts[i]);
      continue;
    }
    const auto counts = parts_of(parts[i], '+');
    if (counts.size() > 1) config.candidates = number(counts[0]);
    config.noises = number(counts.back());
  }
  return config;
}

}  // namespace cane::bench
