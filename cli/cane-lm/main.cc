#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string_view>

#include "app/interrupt.h"
#include "app/nearest.h"
#include "app/output.h"
#include "cane/error.h"
#include "cli/cane-lm/lm_verbs.h"
#include "lm/portable/sleeping_threads.h"

namespace cane::lm {
namespace {

constexpr Verb kVerbs[] = {
    {"train", "Learn a language model from text.", run_train, "cane-lm"},
    {"test", "Measure the perplexity of a model on text.", run_test, "cane-lm"},
    {"generate", "Write text as the model would.", run_generate, "cane-lm"},
    {"inspect", "Print what is in a model.", run_inspect, "cane-lm"},
    {"compare", "Train several output layers on the same text: table, curves, pictures.",
     run_compare, "cane-lm"},
};

void print_help() {
  fmt::print(
      "Learns neural language models with output layers that are cheap for large "
      "vocabularies.\n\nUsage: cane-lm VERB [OPTIONS]\n\n");
  for (const Verb& verb : kVerbs) fmt::print("  {:<10} {}\n", verb.name, verb.summary);
  fmt::print(
      "\n`cane-lm VERB --help` lists the options of a verb.\n\n"
      "Example, from text to text:\n"
      "  cane-lm train ptb/train.txt.gz --valid ptb/valid.txt.gz --model ptb.safetensors\n"
      "  cane-lm test --model ptb.safetensors ptb/test.txt.gz\n"
      "  cane-lm generate --model ptb.safetensors --words 50\n");
}

int run(const Arguments& arguments) {
  if (arguments.empty()) throw Error("there is no verb; see `cane-lm --help`");
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return cli::kExitDone;
  }
  if (name == "--version") {
    fmt::print("cane-lm {}\n", CANE_VERSION);
    return cli::kExitDone;
  }
  std::vector<std::string_view> names;
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return verb.run(verb, {arguments.begin() + 1, arguments.end()});
    names.emplace_back(verb.name);
  }
  throw Error(fmt::format("there is no verb '{}'{}; see `cane-lm --help`", name,
                          cli::suggestion(name, names)));
}

/// LibTorch takes a while to load; to be loaded twice is for those that compute.
bool computes(const Arguments& arguments) {
  const auto is_help = [](const std::string& text) { return text == "--help" || text == "-h"; };
  return arguments.size() > 1 && arguments.front() != "inspect" &&
         std::none_of(arguments.begin(), arguments.end(), is_help);
}

int run_and_report(const Arguments& arguments) {
  try {
    const int code = run(arguments);
    cli::Output("").finish();
    return code;
  } catch (const cli::ClosedPipe&) {
    return cli::kExitClosedPipe;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "cane-lm: there is not enough memory; take a smaller --vocabulary or --batch\n");
  } catch (const c10::Error& error) {
    // LibTorch appends where in its sources it was; the first line says what.
    const std::string_view text = error.what_without_backtrace();
    fmt::print(stderr, "cane-lm: {}\n", text.substr(0, text.find('\n')));
  } catch (const std::exception& error) {
    fmt::print(stderr, "cane-lm: {}\n", error.what());
  }
  return cli::kExitUserError;
}

}  // namespace
}  // namespace cane::lm

int main(int count, char** values) {
  const cane::lm::Arguments arguments(values + 1, values + count);
  if (cane::lm::computes(arguments)) cane::lm::let_threads_sleep(values);
  cane::cli::catch_lost_files();
  return cane::lm::run_and_report(arguments);
}
