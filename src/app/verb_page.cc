#include "app/verb_page.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace cane::cli {

std::vector<std::string> OptionText::words() const {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    const std::string value = type.substr(begin, end - begin);
    const bool is_word = !value.empty() && std::ranges::all_of(value, [](unsigned char letter) {
      return std::islower(letter) != 0 || std::isdigit(letter) != 0 || letter == '-';
    });
    if (is_word) found.push_back(value);
    begin = end + 1;
  }
  return found;
}

bool OptionText::takes_file() const {
  return is_positional || type.find("FILE") != type.npos || type.find("DATA") != type.npos ||
         type.find("DIR") != type.npos;
}

std::vector<VerbPage>& collected_pages() {
  static std::vector<VerbPage> pages;
  return pages;
}

std::vector<VerbPage> pages_of(const char* program, std::span<const Verb> verbs) {
  collected_pages().clear();
  for (Verb verb : verbs) {
    verb.program = program;
    verb.run(verb, {kPageFlag});
  }
  return std::exchange(collected_pages(), {});
}

}  // namespace cane::cli
