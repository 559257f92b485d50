#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/json_lines.h"
#include "cli/cane-lm/common_options.h"
#include "cli/cane-lm/lm_verbs.h"
#include "core/base/words.h"
#include "lm/engine/model_file.h"
#include "lm/engine/perplexity.h"

namespace cane::lm {
namespace {

constexpr const char* kTestClosing =
    "The perplexity is exact: every word of the text once, with the normaliser over all words. "
    "Words that\nare not in the vocabulary count as <unk>, and every end of a line as <eos>. The "
    "self-normalised one\ntakes scores as log-probabilities, without a normaliser.\n\n"
    "Example:\n"
    "  cane-lm test --model ptb.safetensors ptb/test.txt.gz --json";

std::string as_json(const Perplexity& result, double unknown) {
  cli::Json json = cli::Json::object();
  json["perplexity"] = result.exact;
  json["self_normalized_perplexity"] = result.self_normalized;
  json["mean_log_normalizer"] = result.log_normalizer;
  json["tokens"] = result.tokens;
  json["unknown"] = unknown;
  json["seconds"] = result.seconds;
  return cli::json_text(json);
}

void print_table(const Perplexity& result, double unknown) {
  const auto line = [](const char* name, const std::string& value) {
    fmt::print("{:<28} {:>12}\n", name, value);
  };
  line("words", count_text(result.tokens));
  line("of them <unk>", fmt::format("{:.2f}%", 100.0 * unknown));
  line("perplexity", fmt::format("{:.3f}", result.exact));
  line("self-normalised perplexity", fmt::format("{:.3f}", result.self_normalized));
  line("mean log normaliser", fmt::format("{:.4f}", result.log_normalizer));
  line("seconds", fmt::format("{:.3f}", result.seconds));
}

}  // namespace

int run_test(const Verb& verb, const Arguments& arguments) {
  std::string text_path;
  std::string model_path;
  bool json = false;
  CorpusOptions corpus;
  RunOptions run;
  cli::Options options(verb, kTestClosing);
  options.positional("TEXT", text_path, "text to measure on (-: standard input)");
  add_trained_model(options, model_path);
  options.flag("json", json, "print one JSON object");
  add_reading_options(options, corpus);
  add_run_options(options, run);
  if (!options.parse(arguments)) return cli::kExitDone;

  corpus.note = stderr_note(run.quiet);
  const torch::Device device = choose_device(run.device, run.threads, corpus.note);
  const LoadedModel loaded = load_model(model_path, device);
  const WordVocabulary& vocabulary = loaded.model->vocabulary();
  const std::vector<WordId> text = read_tokens(text_path, vocabulary, corpus);
  const double unknown = static_cast<double>(std::ranges::count(text, vocabulary.unknown())) /
                         static_cast<double>(text.size());
  constexpr double kMainlyUnknown = 0.5;
  if (unknown > kMainlyUnknown) {
    corpus.note(
        fmt::format("{:.0f}% of the words are not in the vocabulary of {}; is it the model "
                    "of another language?",
                    100.0 * unknown, model_path));
  }
  const Perplexity result = measure_perplexity(*loaded.model, text);
  if (json) {
    fmt::print("{}\n", as_json(result, unknown));
  } else {
    print_table(result, unknown);
  }
  return cli::kExitDone;
}

}  // namespace cane::lm
