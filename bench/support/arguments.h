// The command line of a benchmark: positional words, and named numbers (--classes 20000).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "cane/error.h"

namespace cane::bench {

class Arguments {
 public:
  /// `known`: the valid names, without the dashes.
  Arguments(int count, char** texts, const std::vector<std::string>& known) {
    for (int i = 1; i < count; ++i) {
      const std::string text = texts[i];
      if (text.rfind("--", 0) != 0) {
        words_.push_back(text);
        continue;
      }
      const std::string name = text.substr(2);
      const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
      if (!is_known) {
        throw Error(fmt::format("{}: there is no such option; there are --{}", text,
                                fmt::join(known, ", --")));
      }
      char* end = nullptr;
      const char* value = i + 1 < count ? texts[++i] : "";
      numbers_[name] = static_cast<std::uint32_t>(std::strtoul(value, &end, 10));
      if (*value == '\0' || *end != '\0' || numbers_[name] == 0) {
        throw Error(fmt::format("{}: it needs a number above 0", text));
      }
    }
  }

  const std::vector<std::string>& words() const { return words_; }
  bool has(const std::string& name) const { return numbers_.count(name) > 0; }
  std::uint32_t number(const std::string& name, std::uint32_t otherwise) const {
    return has(name) ? numbers_.at(name) : otherwise;
  }

 private:
  std::vector<std::string> words_;
  std::map<std::string, std::uint32_t> numbers_;
};

/// The return value of main; prints errors.
template <typename Run>
int guarded(const Run& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return EXIT_FAILURE;
  }
}

}  // namespace cane::bench
