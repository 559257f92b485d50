#include "app/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/base/words.h"

namespace cane::cli {

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
