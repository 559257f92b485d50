#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "app/interrupt.h"
#include "app/nearest.h"
#include "app/output.h"
#include "cane/error.h"
#include "cane/version.h"
#include "cli/cane/verbs.h"

namespace cane::cli {
namespace {

constexpr Verb kVerbs[] = {
    {"train", "Learn a model from data with labels.", run_train},
    {"tune", "Find options for `cane train` on given data.", run_tune},
    {"test", "Measure how good a model is on data with labels.", run_test},
    {"predict", "Print the best labels for each example.", run_predict},
    {"compare", "Train several methods on the same data: table, curves, pictures.", run_compare},
    {"synth", "Make data whose best possible accuracy is known.", run_synth},
    {"tree", "Build, measure and write a tree of classes.", run_tree},
    {"quantize", "Make a model smaller: weights in 8 or 16 bits.", run_quantize},
    {"inspect", "Print what is in a model.", run_inspect},
    {"version", "Print version, instruction set and threads.", run_version},
};

void print_help() {
  fmt::print(
      "Learns to tell apart thousands to millions of classes.\n\nUsage: cane VERB [OPTIONS]\n\n");
  for (const Verb& verb : kVerbs) fmt::print("  {:<10} {}\n", verb.name, verb.summary);
  fmt::print(
      "\n`cane VERB --help` lists the options of a verb.\n\n"
      "Example, from data to prediction:\n"
      "  cane synth data --classes 1000\n"
      "  cane train data/X_train.npy --model model.safetensors\n"
      "  cane test --model model.safetensors data/X_test.npy\n"
      "  cane predict --model model.safetensors data/X_test.npy --top-k 3 --proba | head\n");
}

int run(const Arguments& arguments) {
  if (arguments.empty()) throw Error("there is no verb; see `cane --help`");
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return kExitDone;
  }
  if (name == "--version") {
    fmt::print("cane {}\n", version());
    return kExitDone;
  }
  std::vector<std::string_view> names;
  for (const Verb& verb : kVerbs) {
    if (name == verb.name) return verb.run(verb, {arguments.begin() + 1, arguments.end()});
    names.emplace_back(verb.name);
  }
  throw Error(
      fmt::format("there is no verb '{}'{}; see `cane --help`", name, suggestion(name, names)));
}

int run_and_report(const Arguments& arguments) {
  try {
    const int code = run(arguments);
    Output("").finish();
    return code;
  } catch (const ClosedPipe&) {
    return kExitClosedPipe;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr,
               "cane: there is not enough memory; `cane train ... --dry-run` says how much "
               "a training needs\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "cane: {}\n", error.what());
  }
  return kExitUserError;
}

}  // namespace
}  // namespace cane::cli

int main(int count, char** values) {
  cane::cli::catch_lost_files();
  return cane::cli::run_and_report({values + 1, values + count});
}
