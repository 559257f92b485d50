#include "app/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cane/error.h"
#include "core/base/bad_line.h"

namespace cane::cli {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

void for_each_spec(const std::string& option, const std::string& list,
                   const std::function<void(const Spec& spec)>& read) {
  std::set<std::string> known;
  for (const std::string& text : split(list, ',')) {
    try {
      const Spec spec = {text, split(text, ':')};
      const auto after_name = spec.parts.begin() + 1;
      if (std::any_of(after_name, spec.parts.end(),
                      [](const auto& part) { return part.empty(); })) {
        throw Error("there is nothing after a colon; leave the colon out");
      }
      read(spec);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}: {}", option, in_quotes(text), shown(error.what())));
    }
    if (!known.insert(text).second) {
      throw Error(
          fmt::format("{}: {} is there twice; leave one out, or give it another option, seed=2 say",
                      option, in_quotes(text)));
    }
  }
}

}  // namespace cane::cli
