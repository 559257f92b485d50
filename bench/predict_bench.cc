// Prediction of the best class on one thread: a beam of 9 against exhaustive scoring of every
// class, with flat rows in blocks of 16 and the same kernels. Usage: predict_bench [DATA]
#include <cstdlib>

#include "bench/support/bench_data.h"
#include "bench/support/bench_training.h"
#include "bench/support/flat_predictor.h"
#include "bench/support/side_by_side.h"

namespace cane {
namespace {

constexpr std::uint32_t kBlockClasses = 16;
constexpr std::size_t kMaxExamples = 20000;

TrainConfig beam_tree(std::uint32_t arity) {
  TrainConfig asked;
  asked.method = Method::kCane;
  asked.select = SelectorKind::kBeam;
  asked.start = StartKind::kZero;
  asked.arity = arity;
  asked.epochs = 3;
  return asked;
}

bool run_arity(const bench::BenchData& source, std::uint32_t arity) {
  const DatasetView data = source.view();
  ThreadPool pool(0);
  const ModelData model = bench::describe_model(data, source.classes(), beam_tree(arity), pool);
  const TrainConfig& config = model.config;
  bench::BenchTraining training(model, data, bench::fresh_state(model, data, pool), pool);
  training.run_epochs(config.epochs);

  const BatchPredictor predictor = make_predictor(model, views_of(training.weights()));
  auto workspace = predictor.make_workspace();
  const bench::FlatRows flat_rows(model, training.weights()[kClassTable].data(), kBlockClasses);
  bench::FlatPredictor flat(flat_rows);
  const std::size_t examples = std::min(data.size(), kMaxExamples);
  bench::Batches batches(data, examples, false);
  std::vector<ClassId> beam_classes;
  std::vector<ClassId> flat_classes;
  const auto search = [&](std::uint32_t width) {
    beam_classes.clear();
    batches.each(kPredictBatch, [&](std::span<const RowView> rows) {
      predictor.search(rows, width, 1, workspace);
      for (std::size_t e = 0; e < rows.size(); ++e) {
        beam_classes.push_back(workspace.selection.of(e)[0].class_id);
      }
    });
  };
  const auto exhaustive = [&] {
    flat_classes.clear();
    batches.each(kPredictBatch,
                 [&](std::span<const RowView> rows) { flat.best(rows, flat_classes); });
  };
  exhaustive();
  search(model.tree.class_count());
  const double equal = bench::agreement(beam_classes, flat_classes);
  search(config.candidates);
  fmt::print(
      "prediction, {} classes, arity {}, top 1, one thread; a beam of all classes agrees "
      "with the flat rows on {:.3f}%, one of {} on {:.1f}%\n",
      model.tree.class_count(), config.arity, 100 * equal, config.candidates,
      100 * bench::agreement(beam_classes, flat_classes));
  if (equal < 0.999) {
    fmt::print("the results differ: nothing is timed\n");
    return false;
  }
  const auto items = static_cast<double>(examples);
  bench::print(
      "every row", "beam of 9", "examples",
      bench::side_by_side(41, items, exhaustive, items, [&] { search(config.candidates); }));
  return true;
}

int run(int argument_count, char** arguments) {
  const auto source = bench::BenchData::of_arguments(argument_count, arguments);
  for (const std::uint32_t arity : {16U, 32U}) {
    if (!run_arity(source, arity)) return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** arguments) {
  return cane::run(argument_count, arguments);
}
