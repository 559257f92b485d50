#include <fmt/format.h>

#include "cane/predict.h"
#include "cli/data_options.h"
#include "cli/json.h"
#include "cli/options.h"

namespace cane::cli {
namespace {

constexpr const char* kClosing =
    "Coverage is the share of examples whose label is among the candidates of the search. The log "
    "loss is\nover the examples whose label training saw.\n\n"
    "Example:\n"
    "  cane test --model shop.safetensors test.svm --top-k 1,5,10";

Value list_value(std::vector<std::uint32_t>& values) {
  return {[&values](const std::string& typed) {
            values.clear();
            for (std::size_t begin = 0; begin <= typed.size();) {
              const std::size_t end = std::min(typed.find(',', begin), typed.size());
              values.push_back(
                  parse_number<std::uint32_t>("--top-k", typed.substr(begin, end - begin)));
              if (values.back() == 0) throw Error("--top-k: each number must be 1 or more");
              begin = end + 1;
            }
          },
          [&values] { return fmt::format("{}", fmt::join(values, ",")); }};
}

std::string as_json(const Evaluation& result, const EvaluateOptions& options) {
  JsonObject top;
  for (const auto& [k, share] : result.top) top.set(std::to_string(k), share);
  JsonObject json;
  json.set("accuracy", result.accuracy);
  json.set("top", top);
  if (options.log_loss == Probability::kNone) {
    json.set_null("log_loss");
  } else {
    json.set("log_loss", result.log_loss);
  }
  json.set("log_loss_by", name_of(options.log_loss));
  json.set("coverage", result.coverage);
  json.set("examples", result.examples);
  json.set("seconds", result.seconds);
  json.set("rows_per_example", result.rows_per_example);
  json.set("unseen_labels", result.unseen_labels);
  return json.text();
}

void print_table(const Evaluation& result, const EvaluateOptions& options, std::size_t classes) {
  const auto line = [](const std::string& name, const std::string& value) {
    fmt::print("{:<22} {:>12}\n", name, value);
  };
  const auto percent = [](double share) { return fmt::format("{:.2f}%", 100.0 * share); };
  line("examples", count_text(result.examples));
  line("classes", count_text(classes));
  line("accuracy", percent(result.accuracy));
  for (const auto& [k, share] : result.top) {
    if (k > 1) line(fmt::format("top {}", k), percent(share));
  }
  if (options.log_loss != Probability::kNone) {
    line(fmt::format("log loss ({})", name_of(options.log_loss)),
         fmt::format("{:.4f}", result.log_loss));
  }
  line("coverage", percent(result.coverage));
  line("rows per example", fmt::format("{:.1f}", result.rows_per_example));
  line("seconds", fmt::format("{:.3f}", result.seconds));
  line("examples per second",
       count_text(static_cast<std::uint64_t>(static_cast<double>(result.examples) /
                                             std::max(result.seconds, 1e-9))));
}

}  // namespace

int run_test(const Verb& verb, const Arguments& arguments) {
  std::string model_path;
  std::string data_path;
  bool json = false;
  EvaluateOptions evaluation;
  DataOptions data_options;
  Options options(verb, kClosing);
  options.positional("DATA", data_path, "data with labels (-: standard input)");
  options.required("model", "FILE", model_path, "what `cane train` has written (required)");
  options.add("top-k", "K,K,...", list_value(evaluation.top_k), "measure the best K classes");
  options.add("beam", evaluation.beam, "width of the search; 0: as in training");
  options.add("log-loss", evaluation.log_loss, "normaliser; exact scores all classes");
  options.add("noises", evaluation.noises, "draws for --log-loss estimate");
  options.flag("json", json, "print one JSON object");
  options.add("threads", evaluation.threads, "0: one for each core");
  add_reading_options(options, data_options);
  if (!options.parse(arguments)) return kExitDone;

  const Model model = Model::load(model_path);
  data_options.threads = evaluation.threads;
  const Dataset data = Dataset::load(data_path, model, data_options);
  warn_about_skipped(data_path, data);
  warn_about_unseen(data_path, data);
  const Evaluation result = evaluate(model, data, evaluation);
  if (json) {
    fmt::print("{}\n", as_json(result, evaluation));
  } else {
    print_table(result, evaluation, model.classes());
  }
  return kExitDone;
}

}  // namespace cane::cli
