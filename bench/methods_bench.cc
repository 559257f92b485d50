// Training time of several methods side by side, on all threads and the same examples, each
// compared with the first in the list. Usage: methods_bench [DATA] [METHOD ...]
//   METHOD: as in `cane compare`: softmax, cane:narrow:9+1:reuse=1 or nce:10
//   [--timed N] examples per round, [--rounds N]
//   without data: synthetic dense examples with [--classes K] (1,000, then 20,000), [--dim D]
#include <cstdlib>
#include <cstring>

#include "bench/support/arguments.h"
#include "bench/support/bench_data.h"
#include "bench/support/bench_training.h"
#include "bench/support/side_by_side.h"
#include "bench/support/some_examples.h"
#include "cane/names.h"
#include "cli/cane/compare/spec.h"

namespace cane {
namespace {

const std::vector<std::string> kDefaultMethods = {
    "softmax", "cane:narrow:9+1", "cane:tree:9+1", "cane:beam:9+1", "nce:10", "hsm"};
constexpr std::uint64_t kProofBatches = 8;

bool is_method(const std::string& word) {
  const std::string name = word.substr(0, word.find(':'));
  for (const auto& entry : named_values<Method>()) {
    if (entry.name == name) return true;
  }
  return false;
}

struct Settings {
  std::vector<std::string> methods;
  std::uint32_t timed;
  int rounds;
};

struct Contestant {
  std::string name;
  ModelData model;
  TrainState start;
  std::unique_ptr<bench::BenchTraining> training;
  StepStats totals;
};

bool same_bits(const WeightTables& a, const WeightTables& b) {
  for (std::size_t table = 0; table < a.size(); ++table) {
    const std::size_t bytes = a[table].size() * sizeof(float);
    if (std::memcmp(a[table].data(), b[table].data(), bytes) != 0) return false;
  }
  return true;
}

// Whether the first batches are bit-identical on one thread and on all, in deterministic mode.
bool threads_agree(const Contestant& contestant, const DatasetView& data, ThreadPool& pool) {
  ModelData model = contestant.model;
  model.config.deterministic = true;
  ThreadPool alone(1);
  bench::BenchTraining one(model, data, contestant.start, alone);
  bench::BenchTraining all(model, data, contestant.start, pool);
  one.run_batches(kProofBatches);
  all.run_batches(kProofBatches);
  const bool have_learned = !same_bits(all.weights(), contestant.start.weights);
  return have_learned && same_bits(one.weights(), all.weights());
}

void run_epoch(Contestant& own) {
  try {
    own.totals = own.training->run_epoch();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", own.name, error.what()));
  }
}

void print_table(const std::vector<Contestant>& contestants,
                 const std::vector<std::vector<double>>& seconds, double examples) {
  fmt::print("{:<20} {:>18} {:>14} {:>14} {:>10}\n", "method", "us / example", "/ the first",
             "rows / example", "coverage");
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const StepStats& totals = contestants[i].totals;
    const auto count = static_cast<double>(totals.examples);
    fmt::print("{:<20} {:>18.2f} {:>14.3f} {:>14.1f} {:>9.1f}%\n", contestants[i].name,
               1e6 * bench::median(seconds[i]) / examples,
               bench::median_ratio(seconds[i], seconds[0]),
               static_cast<double>(totals.rows_scored) / count,
               100.0 * static_cast<double>(totals.covered) / count);
  }
}

bool compare(const bench::BenchData& source, const Settings& settings) {
  const DatasetView all = source.view();
  const bench::SomeExamples some(all, settings.timed);
  const DatasetView data = some.view();
  ThreadPool pool(0);
  ThreadPool at_least_two(std::max(2, pool.threads()));
  std::vector<Contestant> contestants;
  for (const std::string& name : settings.methods) {
    Contestant own;
    own.name = name;
    own.model = bench::describe_model(all, source.classes(),
                                      cli::parse_methods(name, {}).front().config, pool);
    own.start = bench::fresh_state(own.model, all, pool);
    if (!threads_agree(own, data, at_least_two)) {
      fmt::print("{}: one thread and several do not learn the same weights: nothing is timed\n",
                 name);
      return false;
    }
    contestants.push_back(std::move(own));
  }
  std::vector<std::function<void()>> works;
  for (Contestant& own : contestants) {
    own.training = std::make_unique<bench::BenchTraining>(own.model, data, own.start, pool);
    works.emplace_back([&own] { run_epoch(own); });
  }
  fmt::print(
      "training, {} classes, {} features, {} threads, {} rounds of {} examples; after {} batches "
      "the weights of one thread and of {} are equal\n",
      source.classes(), data.dimension(), pool.threads(), settings.rounds, data.size(),
      kProofBatches, at_least_two.threads());
  print_table(contestants, bench::take_turns(settings.rounds, works),
              static_cast<double>(data.size()));
  return true;
}

int run(int argument_count, char** texts) {
  const bench::Arguments arguments(argument_count, texts, {"classes", "dim", "timed", "rounds"});
  Settings settings = {
      {}, arguments.number("timed", 10000), static_cast<int>(arguments.number("rounds", 5))};
  std::string path;
  for (const std::string& word : arguments.words()) {
    if (is_method(word)) {
      settings.methods.push_back(word);
    } else if (path.empty() && settings.methods.empty()) {
      path = word;
    } else {
      throw Error(
          fmt::format("{}: there is no such method; there are {}", word, names_of<Method>()));
    }
  }
  if (settings.methods.empty()) settings.methods = kDefaultMethods;
  if (!path.empty()) {
    return compare(bench::BenchData(path), settings) ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  std::vector<std::uint32_t> sizes = {1000, 20000};
  if (arguments.has("classes")) sizes = {arguments.number("classes", 0)};
  for (const std::uint32_t classes : sizes) {
    SynthOptions shape;
    shape.classes = classes;
    shape.dimension = arguments.number("dim", 128);
    shape.examples = std::max<std::uint64_t>(20000, 5 * std::uint64_t{classes});
    if (!compare(bench::BenchData(shape), settings)) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** texts) {
  return cane::bench::guarded([&] { return cane::run(argument_count, texts); });
}
