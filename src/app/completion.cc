#include "app/options_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cane/error.h"

namespace cane::cli {
namespace {

// The name of a function of a shell.
std::string function_name(std::string program) {
  std::ranges::replace(program, '-', '_');
  return "_" + program;
}

std::string without(std::string text, std::string_view letters) {
  std::erase_if(text, [&](char letter) { return letters.find(letter) != letters.npos; });
  return text;
}

std::vector<std::string> verbs_of(std::span<const VerbPage> pages) {
  std::vector<std::string> verbs;
  for (const VerbPage& page : pages) verbs.push_back(page.verb);
  verbs.emplace_back("help");
  return verbs;
}

std::string bash_script(const std::string& program, std::span<const VerbPage> pages) {
  std::string cases;
  for (const VerbPage& page : pages) {
    std::string flags;
    std::string values;
    for (const OptionText& option : page.options) {
      if (option.is_positional) continue;
      flags += fmt::format(" --{}", option.name);
      if (option.type.empty()) continue;
      values += fmt::format("        --{}) words=\"{}\"; files={} ;;\n", option.name,
                            fmt::join(option.words(), " "), option.takes_file() ? 1 : 0);
    }
    cases += fmt::format(
        "    {})\n      flags=\"--help{}\"\n      case $previous in\n{}        *) value=0 ;;\n"
        "      esac ;;\n",
        page.verb, flags, values);
  }
  return fmt::format(
      "# Completion of {0} for bash, made by `{0} help --completion bash`.\n"
      "{1}() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  local flags=\"\" words=\"\" files=0 value=1\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"{2}\" -- \"$current\")\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n"
      "{3}"
      "    help) words=\"{2}\" ;;\n"
      "    *) value=0 ;;\n"
      "  esac\n"
      "  if ((value)); then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
      "    if ((files)); then mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -f -- "
      "\"$current\"); fi\n"
      "  elif [[ $current == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$current\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F {1} {0}\n",
      program, function_name(program), fmt::join(verbs_of(pages), " "), cases);
}

// The help of an option between brackets, in a word between single quotes.
std::string zsh_text(const std::string& text) {
  return without(text, "[]'\"`\\:");
}

std::string zsh_script(const std::string& program, std::span<const VerbPage> pages) {
  std::string verbs;
  std::string cases;
  for (const VerbPage& page : pages) {
    verbs += fmt::format("    '{}:{}'\n", page.verb, zsh_text(page.summary));
    std::string rows;
    for (const OptionText& option : page.options) {
      if (option.is_positional) continue;
      std::string value;
      if (!option.type.empty()) {
        const std::string action = option.takes_file() ? "_files"
                                   : option.words().empty()
                                       ? ""
                                       : fmt::format("({})", fmt::join(option.words(), " "));
        value = fmt::format(":{}:{}", zsh_text(option.type), action);
      }
      rows += fmt::format("        '--{}[{}]{}' \\\n", option.name, zsh_text(option.help), value);
    }
    cases += fmt::format(
        "    {})\n      _arguments '--help[print the help]' \\\n{}        '*:file:_files' ;;\n",
        page.verb, rows);
  }
  return fmt::format(
      "#compdef {0}\n"
      "# Completion of {0} for zsh, made by `{0} help --completion zsh`.\n"
      "{1}() {{\n"
      "  local -a verbs\n"
      "  verbs=(\n{2}    'help:print help'\n  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT -= 1))\n"
      "  case $verb in\n"
      "{3}"
      "    help) _describe verb verbs ;;\n"
      "  esac\n"
      "}}\n"
      "if [[ $funcstack[1] == {1} ]]; then {1} \"$@\"; else compdef {1} {0}; fi\n",
      program, function_name(program), verbs, cases);
}

std::string fish_text(const std::string& text) {
  return without(text, "'\\");
}

std::string fish_script(const std::string& program, std::span<const VerbPage> pages) {
  std::string script =
      fmt::format("# Completion of {0} for fish, made by `{0} help --completion fish`.\n", program);
  const std::string before_verb = "__fish_use_subcommand";
  for (const VerbPage& page : pages) {
    script += fmt::format("complete -c {} -f -n {} -a {} -d '{}'\n", program, before_verb,
                          page.verb, fish_text(page.summary));
    for (const OptionText& option : page.options) {
      if (option.is_positional) continue;
      std::string value;
      if (!option.type.empty()) value = option.takes_file() ? " -r -F" : " -x";
      if (const auto words = option.words(); !words.empty()) {
        value += fmt::format(" -a '{}'", fmt::join(words, " "));
      }
      script += fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}' -l {}{} -d '{}'\n",
                            program, page.verb, option.name, value, fish_text(option.help));
    }
  }
  return script +
         fmt::format("complete -c {} -f -n {} -a help -d 'print help'\n", program, before_verb);
}

}  // namespace

std::string completion_script(const std::string& shell, const std::string& program,
                              std::span<const VerbPage> pages) {
  if (shell == "bash") return bash_script(program, pages);
  if (shell == "zsh") return zsh_script(program, pages);
  if (shell == "fish") return fish_script(program, pages);
  throw Error(fmt::format("--completion: there is no shell '{}'; give bash, zsh or fish", shell));
}

}  // namespace cane::cli
