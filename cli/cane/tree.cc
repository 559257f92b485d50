#include "cane/tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/json_lines.h"
#include "app/options.h"
#include "cane/fields.h"
#include "cli/cane/data_options.h"
#include "cli/cane/verbs.h"

namespace cane::cli {
namespace {

constexpr const char* kTreeClosing =
    "Balance is the shortest possible mean depth at this arity over the mean depth: 1 is best.\n\n"
    "Example:\n"
    "  cane tree train.svm --arity 10 --output classes.tree\n"
    "  cane train train.svm --model shop.safetensors --tree classes.tree";

std::string as_json(const TreeStatistics& statistics) {
  Json json = Json::object();
  json["classes"] = statistics.classes;
  json["inner_nodes"] = statistics.nodes;
  json["arity"] = statistics.arity;
  json["depth"] = statistics.depth;
  json["mean_depth"] = statistics.mean_depth;
  json["balance"] = statistics.balance;
  json["nodes_by_level"] = statistics.nodes_by_level;
  return json_text(json);
}

void print_table(const TreeStatistics& statistics) {
  const auto line = [](const char* name, const std::string& value) {
    fmt::print("{:<16} {}\n", name, value);
  };
  line("classes", count_text(statistics.classes));
  line("inner nodes", count_text(statistics.nodes));
  line("arity", count_text(statistics.arity));
  line("depth", count_text(statistics.depth));
  line("mean depth", fmt::format("{:.3f}", statistics.mean_depth));
  line("balance", fmt::format("{:.3f}", statistics.balance));
  line("nodes by level", fmt::format("{}", fmt::join(statistics.nodes_by_level, " ")));
}

}  // namespace

int run_tree(const Verb& verb, const Arguments& arguments) {
  std::string data_path;
  std::string output_path;
  bool json = false;
  TrainConfig config;
  DataOptions data_options;
  Options options(verb, kTreeClosing);
  options.positional("DATA", data_path, "training data (-: standard input)");
  options.add_fields(config, {"tree", "arity", "seed", "threads"});
  options.add("output", "FILE", output_path, "write the tree as text");
  reads_data(options, "DATA", data_path, data_options.labels_path, data_options);
  options.writes({.option = "--output", .path = "", .kind = FileKind::kTree}, output_path);
  options.flag("json", json, "print one JSON object");
  add_reading_options(options, data_options);
  add_feature_options(options, data_options);
  if (!options.parse(arguments)) return kExitDone;

  data_options.threads = config.threads;
  const Ranks& ranks = *verb.ranks;
  const Dataset data = Dataset::load(data_path, data_options, ranks);
  warn_about_skipped(data_path, data.report());
  const Tree tree =
      Tree::build(config.tree, data, config.arity, config.seed, config.threads, ranks);
  if (!ranks.is_first()) return kExitDone;
  if (!output_path.empty()) tree.write(output_path, data.labels());
  if (json) {
    fmt::print("{}\n", as_json(tree.statistics()));
  } else {
    print_table(tree.statistics());
  }
  return kExitDone;
}

}  // namespace cane::cli
