#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cane/export.h"
#include "cli/cane/compare/spec.h"
#include "cli/cane/paper/plan_parts.h"

namespace cane::cli::paper {
namespace {

namespace fs = std::filesystem;

struct VwTree {
  const char* label;
  std::string learner;
  double microseconds;  // for a feature of an example, about
};

// The options that tools/bench-trees takes; LOMTree gets 64 nodes a class.
std::vector<VwTree> vw_trees(std::size_t classes) {
  return {{"Filter Tree", fmt::format("--ect {} -b 24", classes), 0.2},
          {"LOMTree", fmt::format("--log_multi {} -b 26", 64 * classes), 0.2},
          {"Recall Tree", fmt::format("--recall_tree {} -b 24", classes), 0.7}};
}

void write_file(const FoundSet& set, const std::string& path, bool is_train) {
  if (fs::exists(path)) return;
  fs::create_directories(fs::path(path).parent_path());
  const Dataset train = Dataset::load(set.train);
  export_examples(is_train ? train : Dataset::load(set.test, train), path, Format::kVw);
}

std::string file_name(const FoundSet& set, const char* which) {
  return fmt::format("{}.{}.vw", set.row->key, which);
}

}  // namespace

void add_vowpal_wabbit(const FoundSet& set, const Effort& effort, const PlanOptions& options,
                       std::vector<Run>& runs) {
  for (const VwTree& tree : vw_trees(set.classes)) {
    Run run;
    run.id = run_id(set.row->key, "vw", tree.label, options.seed);
    run.parts = {fmt::format("table2/{}", set.row->key)};
    run.tool = Tool::kVowpalWabbit;
    const std::uint32_t passes = epochs_of(*set.row, effort);
    const std::string made = std::string(kData) + "/";
    const std::string out = std::string(kFolder) + "/";
    Arguments train;
    for (std::size_t begin = 0; begin < tree.learner.size();) {
      const std::size_t end = std::min(tree.learner.find(' ', begin), tree.learner.size());
      train.push_back(tree.learner.substr(begin, end - begin));
      begin = end + 1;
    }
    train.insert(train.end(), {"-l", "1", "-d", made + file_name(set, "train"), "--passes",
                               fmt::format("{}", passes), "--holdout_off", "-k", "--cache_file",
                               out + "vw.cache", "-f", out + "vw.model", "--quiet"});
    run.commands = {std::move(train),
                    {"-t", "-i", out + "vw.model", "-d", made + file_name(set, "test"), "-p",
                     out + "predictions", "--quiet"}};
    run.files = {set.train, set.test};
    run.prepare = [set](const std::string& folder) {
      write_file(set, (fs::path(folder) / file_name(set, "train")).string(), true);
      write_file(set, (fs::path(folder) / file_name(set, "test")).string(), false);
    };
    const double features = set.density * static_cast<double>(set.features) + 10.0;
    run.seconds = 1e-6 * tree.microseconds * features * static_cast<double>(set.examples) * passes;
    run.bytes = std::uint64_t{1} << 30;
    runs.push_back(std::move(run));
  }
}

Arguments options_of_spec(const std::string& spec) {
  Arguments arguments;
  const TrainConfig plain;
  const auto defaults = method_options(plain);
  const auto values = method_options(parse_methods(spec, plain).front().config);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == defaults[i]) continue;
    arguments.push_back("--" + values[i].first);
    arguments.push_back(values[i].second);
  }
  return arguments;
}

Arguments plain_features(const FoundSet& set) {
  Arguments arguments = {"--normalize", "none"};
  if (set.train.ends_with(".npy")) return arguments;
  arguments.insert(arguments.end(), {"--weights", "count"});
  if (set.train.find(".ft") == std::string::npos) return arguments;
  arguments.insert(arguments.end(),
                   {"--tokenizer", "spaces", "--word-ngrams", "1", "--char-ngrams", "none"});
  return arguments;
}

}  // namespace cane::cli::paper
