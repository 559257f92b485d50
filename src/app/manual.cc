#include "app/options_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/program.h"
#include "cane/version.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
  return text;
}

// Text of the page: nothing in it is a request or an escape.
std::string roff(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char letter : text) {
    if (at_start && (letter == '.' || letter == '\'')) out += "\\&";
    at_start = letter == '\n';
    if (letter == '\\') {
      out += "\\e";
    } else if (letter == '-') {
      out += "\\-";
    } else if (letter == '`') {
      out += "\\(ga";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string title(const Program& program, const std::string& name) {
  return fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n", upper(name), program.name,
                     version());
}

// Options of one heading need not have been added one after the other.
std::vector<OptionText> by_heading(std::vector<OptionText> options) {
  std::vector<std::string> headings;
  for (const OptionText& option : options) {
    if (std::ranges::find(headings, option.heading) == headings.end()) {
      headings.push_back(option.heading);
    }
  }
  std::ranges::stable_sort(options, {}, [&](const OptionText& option) {
    return std::ranges::find(headings, option.heading) - headings.begin();
  });
  return options;
}

// The last lines of a help: paragraphs, and examples that keep their lines.
std::string paragraphs(const std::string& text) {
  std::string out;
  bool is_example = false;
  const std::vector<std::string> lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with("Example")) {
      out += ".SH EXAMPLES\n";
    } else if (line.empty()) {
      if (i + 1 < lines.size() && !lines[i + 1].starts_with("Example")) out += ".PP\n";
    } else {
      const bool is_code = line.starts_with("  ");
      if (is_code != is_example) out += is_code ? ".nf\n" : ".fi\n";
      is_example = is_code;
      out += roff(line) + "\n";
    }
  }
  return out + (is_example ? ".fi\n" : "");
}

}  // namespace

std::string program_manual(const Program& program, std::span<const VerbPage> pages) {
  std::string page = title(program, program.name);
  page += fmt::format(".SH NAME\n{} \\- {}\n", roff(program.name), roff(program.summary));
  page += fmt::format(".SH SYNOPSIS\n.B {}\n.I VERB\n[\\fIOPTION\\fR ...]\n", roff(program.name));
  page += ".SH VERBS\n";
  for (const VerbPage& verb : pages) {
    page += fmt::format(".TP\n.BR {}\\-{} (1)\n{}\n", roff(program.name), verb.verb,
                        roff(verb.summary));
  }
  page += fmt::format(".TP\n.B help\nPrint help; with\n.I VERB\nof that verb.\n");
  return page + paragraphs(program.example);
}

std::string verb_manual(const Program& program, const VerbPage& verb) {
  const std::vector<OptionText> options = by_heading(verb.options);
  std::string page = title(program, fmt::format("{}-{}", program.name, verb.verb));
  page +=
      fmt::format(".SH NAME\n{}\\-{} \\- {}\n", roff(program.name), verb.verb, roff(verb.summary));
  page +=
      fmt::format(".SH SYNOPSIS\n.B {} {}\n[\\fIOPTION\\fR ...]\n", roff(program.name), verb.verb);
  for (const OptionText& option : options) {
    if (option.is_positional) page += fmt::format(".I {}\n", roff(option.name));
  }
  page += ".SH OPTIONS\n";
  std::string heading;
  for (const OptionText& option : options) {
    if (option.is_positional) {
      page += fmt::format(".TP\n.I {}\n{}\n", roff(option.name), roff(option.help));
      continue;
    }
    if (option.heading != heading && option.heading != "Options") {
      page += fmt::format(".SS {}\n", roff(option.heading));
    }
    heading = option.heading;
    page += fmt::format(
        ".TP\n\\fB{}\\fR{}{}\n{}\n", roff("--" + option.name), option.type.empty() ? "" : " ",
        option.type.empty() ? "" : fmt::format("\\fI{}\\fR", roff(option.type)), roff(option.help));
  }
  page += ".SH DESCRIPTION\n" + paragraphs(verb.closing);
  return page + fmt::format(".SH SEE ALSO\n.BR {} (1)\n", roff(program.name));
}

}  // namespace cane::cli
