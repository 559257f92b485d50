// Time per example against the number of classes K = 1,000, 10,000 and so on, for cane with
// one selector for every K and for the full softmax. Usage: scale_bench [OUT]
//   OUT: folder for scale.md, scale.json and scale.svg; without it, only the table is printed
//   [--least K] (1,000) and [--most K] (10,000) classes, [--dim D], [--timed N] examples per epoch
//   [--beam N] classes that a prediction scores (20)
//   [--auto 1] the selector that `cane train` picks for each K, instead of `centroid`
//   [--trained K] classes up to which the softmax is trained to the end, for its accuracy (1,000)
//   [--limit SECONDS]
// A K that would probably end after the limit is not started.
#include <cstdlib>
#include <filesystem>

#include "bench/support/arguments.h"
#include "bench/support/scale_contestant.h"
#include "core/file/atomic_file.h"
#include "data/reader/load_data.h"
#include "data/synth/synth_law.h"
#include "data/synth/synth_writer.h"
#include "support/temporary_folder.h"

namespace cane {
namespace {

constexpr std::uint32_t kStep = 10;
constexpr std::uint64_t kMinExamples = 200000;
constexpr std::uint32_t kTopK = 5;
// Epochs of cane: as many as its searches are remembered. Epochs of the softmax are all alike.
constexpr std::uint32_t kEpochs = 5;
constexpr std::uint32_t kSoftmaxEpochs = 2;
constexpr int kRounds = 3;
// Each test example is compared with all classes to find the true best one.
constexpr std::uint64_t kTestProducts = 400'000'000;
constexpr std::uint64_t kMinTestExamples = 512;
constexpr std::uint64_t kMaxTestExamples = 4096;
// Examples times classes timed for the softmax: a few batches if there are many classes.
constexpr std::uint64_t kSoftmaxProducts = 200'000'000;
constexpr std::uint64_t kMinSoftmaxExamples = 256;
// Low enough that one example tells where its class lies, as there may be only one, and high enough
// that some examples lie nearer to another.
constexpr double kNoise = 0.2;

struct Settings {
  std::uint32_t dimension;
  std::uint64_t timed;
  std::uint32_t beam;
  bool picks_selector;
  std::uint32_t most_trained;
};

// Leaves out the best possible accuracy, which would take longer than everything else.
LoadedData draw(const SynthLaw& law, SynthSplit split, const testing::TemporaryFolder& folder,
                ThreadPool& pool, const Vocabulary* known = nullptr) {
  SynthWriter writer(law, split, folder.path(""), pool);
  writer.commit();
  DataOptions reading;
  reading.use_cache = false;
  return load_data(writer.path(), reading, known);
}

bench::ScalePoint measure(std::uint32_t classes, const Settings& settings, ThreadPool& pool) {
  SynthOptions shape;
  shape.classes = classes;
  shape.dimension = settings.dimension;
  shape.examples = std::max<std::uint64_t>(kMinExamples, classes);
  shape.test_examples = std::clamp(kTestProducts / classes, kMinTestExamples, kMaxTestExamples);
  shape.noise = kNoise;
  const testing::TemporaryFolder folder;
  const SynthLaw law(shape, pool);
  const LoadedData train = draw(law, SynthSplit::kTrain, folder, pool);
  const LoadedData test = draw(law, SynthSplit::kTest, folder, pool, &train.vocabulary);

  bench::ScalePoint point;
  point.classes = classes;
  point.examples = shape.examples;
  // As many as there are classes: an index over them is made anew a few times in an epoch.
  const std::uint64_t in_an_epoch = std::max<std::uint64_t>(settings.timed, classes);
  const std::uint64_t few = std::max(kSoftmaxProducts / classes, kMinSoftmaxExamples);
  {
    const bench::SomeExamples timed(train.view, in_an_epoch);
    TrainConfig config;
    config.epochs = 1 + kEpochs;
    if (!settings.picks_selector) {
      config.method = Method::kCane;
      config.select = SelectorKind::kCentroid;
    }
    bench::ScaleContestant cane(train.view, timed.view(), classes, config, pool);
    cane.time_training(kEpochs);
    cane.time_prediction(test.view, test.view.size(), settings.beam, kTopK, kRounds);
    cane.note_accuracy(test.view);
    point.agreement = cane.agreement_with_all(test.view);
    point.cane = cane.times();
  }
  const bench::SomeExamples timed(train.view, std::min(settings.timed, few));
  TrainConfig config;
  config.method = Method::kSoftmax;
  bench::ScaleContestant softmax(train.view, timed.view(), classes, config, pool);
  softmax.time_training(kSoftmaxEpochs);
  softmax.time_flat_prediction(test.view, std::min<std::size_t>(test.view.size(), few), kTopK,
                               kRounds);
  point.softmax = softmax.times();
  if (classes <= settings.most_trained) {
    const bench::SomeExamples all(train.view, in_an_epoch);
    config.epochs = 1 + kEpochs;
    bench::ScaleContestant trained(train.view, all.view(), classes, config, pool);
    trained.time_training(kEpochs);
    trained.measure_accuracy(test.view);
    point.softmax.accuracy = trained.times().accuracy;
  }
  return point;
}

void write(const std::string& folder, const char* name, const std::string& text) {
  AtomicFile file((std::filesystem::path(folder) / name).string());
  file.write(text);
  file.commit();
}

void keep(const std::string& folder, const bench::ScaleReport& report) {
  std::filesystem::create_directories(folder);
  write(folder, "scale.md", bench::as_markdown(report));
  write(folder, "scale.json", bench::as_json(report));
  write(folder, "scale.svg", bench::as_picture(report));
}

int run(int argument_count, char** texts) {
  const bench::Arguments arguments(
      argument_count, texts, {"least", "most", "dim", "timed", "beam", "auto", "trained", "limit"});
  if (arguments.words().size() > 1) throw Error("give one folder, or none");
  const std::string out = arguments.words().empty() ? "" : arguments.words().front();
  const Settings settings = {arguments.number("dim", 128), arguments.number("timed", 100000),
                             arguments.number("beam", 20), arguments.number("auto", 0) > 0,
                             arguments.number("trained", 1000)};
  const std::uint32_t least = arguments.number("least", 1000);
  const std::uint32_t most = arguments.number("most", 10000);
  const double limit = arguments.number("limit", 3600);

  ThreadPool pool(0);
  bench::ScaleReport report = {
      settings.dimension, pool.threads(), kTopK, settings.most_trained, {}};
  double all_seconds = 0.0;
  double last_seconds = 0.0;
  for (std::uint64_t classes = least; classes <= most; classes *= kStep) {
    if (all_seconds + kStep * last_seconds > limit) {
      fmt::print("{} classes and more: not begun, as they would take about {:.0f} s of {:.0f} s\n",
                 classes, kStep * last_seconds, limit);
      break;
    }
    fmt::print(stderr, "{} classes ...\n", classes);
    last_seconds = bench::seconds_of([&] {
      report.points.push_back(measure(static_cast<std::uint32_t>(classes), settings, pool));
    });
    all_seconds += last_seconds;
    if (!out.empty()) keep(out, report);
  }
  if (report.points.empty()) throw Error(fmt::format("--most: at least {}", least));
  fmt::print("{}", bench::as_markdown(report));
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** texts) {
  return cane::bench::guarded([&] { return cane::run(argument_count, texts); });
}
