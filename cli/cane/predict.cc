#include "cane/predict.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <system_error>

#include "app/options.h"
#include "app/output.h"
#include "cane/error.h"
#include "cane/fields.h"
#include "cli/cane/data_options.h"
#include "cli/cane/verbs.h"
#include "core/base/bad_line.h"

namespace cane::cli {
namespace {

constexpr const char* kPredictClosing =
    "Prints a line for each example: its K best labels, best first, with tabs between them. With "
    "--proba\neach label is followed by its probability: by the candidates and a sample of the "
    "other classes\n(estimate), or by all classes (exact); auto takes exact where it costs no more "
    "than a few searches.\nWith --reject P the whole line is `unknown` if the best label is less "
    "probable than P; with --proba\nthe probability of that label follows. Examples need no "
    "labels. When the reader of the output closes\nthe pipe, the program ends quietly with exit "
    "code 141. Lines of standard input are answered as they\ncome.\n\n"
    "Examples:\n"
    "  cane predict --model shop.safetensors new.svm --top-k 3 --proba exact\n"
    "  cane predict --model shop.safetensors new.svm --reject 0.8\n"
    "  zcat new.svm.gz | cane predict --model shop.safetensors - > labels.txt\n"
    "  tail -f new.txt | cane predict --model shop.safetensors -";

// Allows --proba without a value, also before the name of the data.
Arguments with_proba_value(Arguments arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--proba") continue;
    bool has_value = false;
    for (const auto& entry : named_values<Probability>()) {
      has_value = has_value || (i + 1 < arguments.size() && arguments[i + 1] == entry.name);
    }
    if (!has_value) {
      arguments[i] += fmt::format("={}", name_of(PredictOptions().probability));
    }
  }
  return arguments;
}

// Standard input or a named pipe: predictions need not wait for its end.
bool is_stream(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return path == "-" || std::filesystem::is_fifo(status) ||
         std::filesystem::is_character_file(status);
}

}  // namespace

int run_predict(const Verb& verb, const Arguments& arguments) {
  std::string model_path;
  std::string data_path;
  std::string output_path;
  PredictOptions prediction;
  prediction.probability = Probability::kNone;
  DataOptions data_options;
  data_options.write_cache = false;
  data_options.require_labels = false;
  Options options(verb, kPredictClosing);
  options.positional("DATA", data_path, "data, with or without labels (-: standard input)");
  add_model_option(options, model_path);
  options.add_groups(prediction, {kPlainGroup});
  options.add("output", "FILE", output_path, "instead of standard output");
  reads_data(options, "DATA", data_path, data_options.labels_path, data_options);
  options.writes({.option = "--output", .path = "", .kind = FileKind::kPredictions}, output_path);
  add_reading_options(options, data_options);
  if (!options.parse(with_proba_value(arguments))) return kExitDone;

  const Model model = Model::load(model_path);
  const bool prints_probabilities = prediction.probability != Probability::kNone;
  if (prints_probabilities && !model.has_probabilities()) {
    throw Error(fmt::format("--proba: {} has no probabilities; leave it out",
                            name_of(model.config().method)));
  }
  if (prediction.reject > 0.0F && !prints_probabilities) {
    prediction.probability = Probability::kAuto;
  }
  const Ranks& ranks = *verb.ranks;
  const Predictor predictor(model, prediction);
  Output output(ranks.is_first() ? output_path : "");
  const bool is_terminal = output_path.empty() && ::isatty(STDOUT_FILENO) != 0;
  std::string line;
  std::string lines;  // of a rank other than the first, which writes the lines of all
  const auto print = [&](std::size_t, std::span<const Prediction> best) {
    line.clear();
    for (const Prediction& one : best) {
      if (!line.empty()) line += '\t';
      const std::string& label = predictor.label(one.class_id);
      line += is_terminal ? without_control_bytes(label) : label;
      if (prints_probabilities) {
        line += fmt::format("\t{:.6g}", one.probability);
      }
    }
    line += '\n';
    if (ranks.is_first()) {
      output.write(line);
    } else {
      lines += line;
    }
  };
  if (is_stream(data_path) && data_options.format != Format::kNpy && ranks.is_alone()) {
    const ReadReport report = predictor.predict_stream(
        data_path, data_options, print, [&] { output.flush(); },
        [&](const std::string& warning) { warn_about_fit(data_path, warning); });
    warn_about_skipped(data_path, report);
  } else {
    data_options.threads = prediction.threads;
    const Dataset data = Dataset::load(data_path, model, data_options, ranks);
    warn_about_skipped(data_path, data.report());
    warn_about_fit(data_path, data.report());
    predictor.predict(data, print);
    for (const std::string& more : ranks.gather(lines)) output.write(more);
  }
  output.finish(Output::Content::kPredictions);
  return kExitDone;
}

}  // namespace cane::cli
