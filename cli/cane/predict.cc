#include "cane/predict.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/error_text.h"
#include "app/options.h"
#include "app/output.h"
#include "cane/error.h"
#include "cane/fields.h"
#include "cli/cane/answers.h"
#include "cli/cane/data_options.h"
#include "cli/cane/verbs.h"
#include "core/base/bad_line.h"

namespace cane::cli {
namespace {

constexpr const char* kPredictClosing =
    "Prints a line for each row of the data: its K best labels, best first, with tabs between "
    "them. With\n--proba each label is followed by its probability: by the candidates and a "
    "sample of the other\nclasses (estimate), or by all classes (exact); auto takes exact where "
    "it costs no more than a few\nsearches. With --reject P the whole line is `unknown` if the "
    "best label is less probable than P;\nwith --proba the probability of that label follows. A "
    "blank line, a row that --on-error skip passes\nover and a row without a known feature get "
    "an empty line, so that answers line up with rows.\nExamples need no labels. When the reader "
    "of the output closes the pipe, the program ends quietly\nwith exit code 141. Lines of "
    "standard input are answered as they come.\n\n"
    "Examples:\n"
    "  cane predict --model shop.safetensors new.svm --top-k 3 --proba exact\n"
    "  cane predict --model shop.safetensors new.svm --reject 0.8\n"
    "  zcat new.svm.gz | cane predict --model shop.safetensors - > labels.txt\n"
    "  cane predict --model shop.safetensors new.csv --id-column id --output-format csv --proba\n"
    "  tail -f new.txt | cane predict --model shop.safetensors -";

constexpr const char* kEmptyAnswers = "their answers are empty";

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

std::string output_format(const std::string& text) {
  if (text == "text" || text == "csv" || text == "jsonl") return text;
  throw Error(
      fmt::format("--output-format: unknown value {}; it takes text|csv|jsonl", in_quotes(text)));
}

// The columns that are kept of each row, the one that names it first.
std::vector<std::string> columns_of(const std::string& id, const std::string& kept,
                                    DataOptions& data) {
  known_flags()["keep_columns"] = kept.empty() ? "--id-column" : "--keep";
  data.keep_columns = id;
  if (!kept.empty()) data.keep_columns += (id.empty() ? "" : ",") + kept;
  std::vector<std::string> columns;
  for (std::string_view rest = data.keep_columns; !rest.empty();) {
    const std::string_view column = rest.substr(0, rest.find(','));
    columns.emplace_back(column);
    rest.remove_prefix(std::min(column.size() + 1, rest.size()));
  }
  return columns;
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
  data_options.every_row = true;
  AnswerStyle style;
  std::string id_column;
  std::string kept_columns;
  Options options(verb, kPredictClosing);
  options.positional("DATA", data_path, "data, with or without labels (-: standard input)");
  add_model_option(options, model_path);
  options.add_groups(prediction, {kPlainGroup});
  options.add("output", "FILE", output_path, "instead of standard output");
  options.add("output-format", "text|csv|jsonl",
              Value{[&](const std::string& text) { style.format = output_format(text); },
                    [&] { return style.format; }},
              "of the answers");
  options.flag("row-numbers", style.with_rows, "the number of the row, from 1, before each answer");
  options.add("id-column", "COLUMN", id_column, "table: what names a row, before each answer");
  options.add("keep", "A,B,...", kept_columns,
              "table: columns that are repeated before each answer");
  options.add("reject-as", "WORD", style.reject_as, "the answer that --reject withholds");
  options.add("empty-as", "WORD", style.empty_as, "the answer to a row without a known feature");
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
  style.is_terminal = output_path.empty() && ::isatty(STDOUT_FILENO) != 0;
  style.with_probability = prints_probabilities;
  style.top_k = prediction.top_k;
  style.kept = columns_of(id_column, kept_columns, data_options);
  const AnswerWriter writer(model, style);
  const Ranks& ranks = *verb.ranks;
  const Predictor predictor(model, prediction);
  Output output(ranks.is_first() ? output_path : "");
  output.write(ranks.is_first() ? writer.header() : "");
  std::string lines;  // of a rank other than the first, which writes the lines of all
  const auto print = [&](const RowAnswer& answer) {
    if (ranks.is_first()) {
      output.write(writer.line(answer));
    } else {
      lines += writer.line(answer);
    }
  };
  if (is_stream(data_path) && data_options.format != Format::kNpy && ranks.is_alone()) {
    const ReadReport report = predictor.predict_stream(
        data_path, data_options, print, [&] { output.flush(); },
        [&](const std::string& warning) { warn_about_fit(data_path, warning); });
    warn_about_skipped(data_path, report);
    warn_about_empty(data_path, report, kEmptyAnswers);
  } else {
    data_options.threads = prediction.threads;
    const Dataset data = Dataset::load(data_path, model, data_options, ranks);
    warn_about_skipped(data_path, data.report());
    warn_about_fit(data_path, data.report());
    warn_about_empty(data_path, data.report(), kEmptyAnswers);
    auto gap = data.gaps().begin();
    predictor.predict(data, [&](std::size_t example, std::span<const Prediction> best) {
      RowAnswer answer = {.example = data.first_example() + example,
                          .best = best,
                          .gap = {},
                          .kept = data.kept(example)};
      if (gap != data.gaps().end() && gap->example == example) {
        answer.gap = gap++->kind;
        answer.best = {};
      }
      print(answer);
    });
    for (const std::string& more : ranks.gather(lines)) output.write(more);
  }
  output.finish(Output::Content::kPredictions);
  return kExitDone;
}

}  // namespace cane::cli
