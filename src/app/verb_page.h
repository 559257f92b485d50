// What a verb takes, as data: manual pages and the completion of shells are made of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/verb.h"

namespace cane::cli {

struct OptionText {
  std::string name;  // without dashes
  std::string type;  // what it takes, "N|auto"; empty: nothing, or a positional argument
  std::string help;
  std::string heading;
  bool is_field = false;  // a row of a list of fields
  bool is_positional = false;

  /// The words among the values that it takes: "auto" of "N|auto".
  std::vector<std::string> words() const;
  /// The name of a file or a folder may follow.
  bool takes_file() const;
};

struct VerbPage {
  std::string verb;
  std::string summary;
  std::string closing;  // the last lines of its help
  std::vector<OptionText> options;
};

/// A hidden flag of every verb: it adds its page to collected_pages() and does nothing else.
inline constexpr const char* kPageFlag = "--page";
std::vector<VerbPage>& collected_pages();

/// The pages of these verbs of a program.
std::vector<VerbPage> pages_of(const char* program, std::span<const Verb> verbs);

}  // namespace cane::cli
