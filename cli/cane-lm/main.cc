#include <c10/util/Exception.h>

#include <algorithm>
#include <string>

#include "app/options_page.h"
#include "app/program.h"
#include "cli/cane-lm/common_options.h"
#include "cli/cane-lm/lm_verbs.h"
#include "lm/engine/sleeping_threads.h"

namespace {

using namespace cane::lm;

constexpr Verb kVerbs[] = {
    {"train", "Learn a language model from text.", run_train},
    {"test", "Measure the perplexity of a model on text.", run_test},
    {"generate", "Write text as the model would.", run_generate},
    {"inspect", "Print the contents of a model.", cane::cli::run_inspect},
    {"cache", "List and remove cached texts.", cane::cli::run_cache},
    {"compare", "Train several output layers on the same text: table, curves, pictures.",
     run_compare},
};

/// LibTorch appends the position in its sources; the first line is the message.
std::string error_text(const std::exception& error) {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  if (of_torch == nullptr) return error.what();
  const std::string text = of_torch->what_without_backtrace();
  return text.substr(0, text.find('\n'));
}

std::string option_tables() {
  using cane::cli::fields_table;
  return fields_table<ModelOptions>("ModelOptions") +
         fields_table<LmTrainOptions>("LmTrainOptions") +
         fields_table<CorpusOptions>("CorpusOptions") + fields_table<RunOptions>("RunOptions");
}

void add_flags(cane::cli::FlagNames& names) {
  cane::cli::add_flag_names<ModelOptions>(names);
  cane::cli::add_flag_names<LmTrainOptions>(names);
  cane::cli::add_flag_names<CorpusOptions>(names);
  cane::cli::add_flag_names<RunOptions>(names);
}

constexpr cane::cli::Program kProgram = {
    .name = "cane-lm",
    .summary =
        "Learns neural language models with output layers that are cheap for large vocabularies.",
    .example =
        "Example, from text to text:\n"
        "  cane-lm train ptb/train.txt.gz --valid ptb/valid.txt.gz --model ptb.safetensors\n"
        "  cane-lm test --model ptb.safetensors ptb/test.txt.gz\n"
        "  cane-lm generate --model ptb.safetensors --words 50",
    .memory_remedy = "take a smaller --vocabulary or --batch",
    .verbs = kVerbs,
    .option_tables = option_tables,
    .add_flags = add_flags,
    .error_text = error_text,
};

/// LibTorch takes a while to load; loading it twice pays only for verbs that compute.
bool computes(const Arguments& arguments) {
  const auto is_help = [](const std::string& text) { return text == "--help" || text == "-h"; };
  return arguments.size() > 1 && arguments.front() != "inspect" && arguments.front() != "cache" &&
         arguments.front() != "help" && std::none_of(arguments.begin(), arguments.end(), is_help);
}

}  // namespace

int main(int count, char** values) {
  const Arguments arguments(values + 1, values + count);
  if (computes(arguments)) let_threads_sleep(values);
  return run_program(kProgram, arguments);
}
