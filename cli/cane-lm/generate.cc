#include "lm/engine/generate.h"

#include <fmt/format.h>

#include <sstream>
#include <string_view>

#include "app/output.h"
#include "cane/error.h"
#include "cli/cane-lm/common_options.h"
#include "cli/cane-lm/lm_verbs.h"
#include "lm/engine/model_file.h"

namespace cane::lm {
namespace {

constexpr const char* kGenerateClosing =
    "Example:\n"
    "  cane-lm generate --model ptb.safetensors --start 'the company' --words 50 "
    "--temperature 0.8 --top-k 40";

}  // namespace

int run_generate(const Verb& verb, const Arguments& arguments) {
  std::string model_path;
  std::string start;
  GenerateOptions generation;
  RunOptions run;
  cli::Options options(verb, kGenerateClosing);
  options.required("model", "FILE", model_path, "what `cane-lm train` has written (required)");
  options.add("words", generation.words, "how many to write");
  options.add("start", "TEXT", start, "words to go on from");
  options.add("temperature", generation.temperature, "below 1: bolder guesses; 0: always the best");
  options.add("top-k", generation.top_k, "draw among the best K words; 0: all");
  options.flag("unknown", generation.unknown, "<unk> may be written too");
  options.add("seed", generation.seed, "of the draws");
  add_run_options(options, run);
  if (!options.parse(arguments)) return cli::kExitDone;
  if (generation.temperature < 0.0) throw Error("--temperature: it must be at least 0");

  const Note note = stderr_note(run.quiet);
  const torch::Device device = choose_device(run.device, run.threads, note);
  const LoadedModel loaded = load_model(model_path, device);
  const WordVocabulary& vocabulary = loaded.model->vocabulary();
  std::vector<WordId> first;
  std::istringstream words(start);
  cli::Output output("");
  std::string_view separator;
  for (std::string word; words >> word;) {
    first.push_back(vocabulary.find(word));
    if (first.back() == vocabulary.unknown()) {
      note(fmt::format("'{}' is not in the vocabulary; it counts as <unk>", word));
    }
    output.write(fmt::format("{}{}", separator, word));
    separator = " ";
  }
  generate(*loaded.model, first, generation, [&](WordId word) {
    if (word == vocabulary.end_of_line()) {
      output.write("\n");
      separator = "";
    } else {
      output.write(fmt::format("{}{}", separator, vocabulary.word(word)));
      separator = " ";
    }
    return true;
  });
  if (!separator.empty()) output.write("\n");
  output.finish();
  return cli::kExitDone;
}

}  // namespace cane::lm
