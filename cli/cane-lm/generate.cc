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

constexpr const char* kWritingGroup = "Options";

struct Writing {
  std::string start;
  GenerateOptions generation;
};

template <typename Visit>
void visit_fields(Writing& writing, const Visit& visit) {
  GenerateOptions& generation = writing.generation;
  visit(Field("words", kWritingGroup, "how many to write"), generation.words);
  visit(Field("start", kWritingGroup, "words to continue").takes("TEXT"), writing.start);
  visit(Field("temperature", kWritingGroup, "below 1: bolder guesses; 0: always the best",
              at_least(0)),
        generation.temperature);
  visit(Field("top_k", kWritingGroup, "draw among the best K words; 0: all"), generation.top_k);
  visit(Field("unknown", kWritingGroup, "<unk> may be written too"), generation.unknown);
  visit(Field("seed", kWritingGroup, "of the draws"), generation.seed);
}

}  // namespace

int run_generate(const Verb& verb, const Arguments& arguments) {
  std::string model_path;
  Writing writing;
  RunOptions run;
  cli::Options options(verb, kGenerateClosing);
  add_trained_model(options, model_path);
  options.add_groups(writing, {kWritingGroup});
  add_run_options(options, run);
  if (!options.parse(arguments)) return cli::kExitDone;

  const Note note = stderr_note(run.quiet);
  const torch::Device device = choose_device(run.device, run.threads, note);
  const LoadedModel loaded = load_model(model_path, device);
  const WordVocabulary& vocabulary = loaded.model->vocabulary();
  std::vector<WordId> first;
  std::istringstream words(writing.start);
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
  generate(*loaded.model, first, writing.generation, [&](WordId word) {
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
