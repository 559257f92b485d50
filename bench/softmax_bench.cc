// The full softmax on all threads against the arithmetic peak of the cores, measured in one run:
// multiply-adds in registers, and a large square product by the same library. Usage: softmax_bench
// [DATA] [--classes K] [--dim D] [--timed N] [--rounds N]
//   without data: synthetic dense examples, 1,000 classes and 128 features
#include <cmath>
#include <cstdlib>

#include "bench/support/arguments.h"
#include "bench/support/bench_data.h"
#include "bench/support/bench_training.h"
#include "bench/support/peak_arithmetic.h"
#include "bench/support/plain_softmax.h"
#include "bench/support/side_by_side.h"
#include "bench/support/some_examples.h"
#include "cane/version.h"
#include "core/simd/matrix_product.h"
#include "train/shuffle.h"

namespace cane {
namespace {

constexpr std::uint64_t kProofBatches = 3;
// Relative to the largest change of a weight.
constexpr double kTolerance = 1e-3;
constexpr std::size_t kSquare = 2048;
constexpr std::uint64_t kPeakOperations = 10'000'000'000;

TrainConfig softmax() {
  TrainConfig asked;
  asked.method = Method::kSoftmax;
  asked.schedule = Schedule::kConstant;
  return asked;
}

std::vector<double> rows_of(const ModelData& model, const AlignedBuffer<float>& weights) {
  const BlockLayout& layout = model.tables[kClassTable].layout;
  std::vector<double> rows;
  for (ClassId k = 0; k < layout.node_bound(); ++k) {
    const float* row = weights.data() + layout.offset(k);
    rows.insert(rows.end(), row, row + layout.dimension() + 1);
  }
  return rows;
}

// Largest deviation of the weights after a few batches from plain steps in double precision,
// relative to the largest change of a weight.
double distance_from_plain(const ModelData& model, const DatasetView& data, const TrainState& start,
                           ThreadPool& pool) {
  bench::BenchTraining training(model, data, start, pool);
  training.run_batches(kProofBatches);
  const std::vector<double> begin = rows_of(model, start.weights[kClassTable]);
  const std::vector<double> end = rows_of(model, training.weights()[kClassTable]);
  const auto classes = static_cast<std::uint32_t>(model.vocabulary.labels.size());
  bench::PlainSoftmax plain(begin, classes, data.dimension());
  std::vector<std::uint32_t> order(data.size());
  shuffle_examples(model.config.seed, 0, order);
  for (std::uint64_t batch = 0; batch < kProofBatches; ++batch) {
    const std::size_t first = std::min<std::size_t>(batch * model.config.batch, order.size());
    const std::size_t count = std::min<std::size_t>(model.config.batch, order.size() - first);
    plain.learn(data, std::span(order).subspan(first, count), static_cast<double>(model.config.lr));
  }
  double longest_change = 0.0;
  double longest_distance = 0.0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    const double weight = plain.weights()[i];
    longest_change = std::max(longest_change, std::abs(weight - begin[i]));
    longest_distance = std::max(longest_distance, std::abs(weight - end[i]));
  }
  return longest_distance / longest_change;
}

// A square product in which each thread computes a band of rows.
class SquareProduct {
 public:
  explicit SquareProduct(ThreadPool& pool)
      : pool_(pool), a_(kSquare * kSquare), b_(kSquare * kSquare), c_(kSquare * kSquare) {
    for (std::size_t i = 0; i < a_.size(); ++i) {
      a_.data()[i] = static_cast<float>(i % 7);
      b_.data()[i] = static_cast<float>(i % 5);
    }
  }

  void run() {
    const auto bands = static_cast<std::size_t>(pool_.threads());
    pool_.run(bands, [&](std::size_t band, int) {
      const std::size_t first = band * kSquare / bands;
      const std::size_t rows = (band + 1) * kSquare / bands - first;
      scores_of_rows({a_.data() + first * kSquare, kSquare}, rows, {b_.data(), kSquare}, kSquare,
                     kSquare, {c_.data() + first * kSquare, kSquare});
    });
  }

  static constexpr double kOperations = 2.0 * kSquare * kSquare * kSquare;

 private:
  ThreadPool& pool_;
  AlignedBuffer<float> a_;
  AlignedBuffer<float> b_;
  AlignedBuffer<float> c_;
};

// Runs multiply-adds on all threads; returns the number of operations.
double run_peak(ThreadPool& pool) {
  std::vector<std::uint64_t> operations(static_cast<std::size_t>(pool.threads()));
  std::vector<float> results(operations.size(), 1.0F);
  pool.run(operations.size(), [&](std::size_t task, int) {
    operations[task] = bench::multiply_and_add(kPeakOperations / operations.size(), results[task]);
  });
  double total = 0.0;
  for (const std::uint64_t count : operations) total += static_cast<double>(count);
  return total;
}

// Seconds per operation, for each round.
std::vector<double> per_operation(std::vector<double> seconds, double operations) {
  for (double& value : seconds) value /= operations;
  return seconds;
}

int time_softmax(const ModelData& model, const DatasetView& data, const TrainState& start,
                 int rounds, ThreadPool& pool) {
  bench::BenchTraining training(model, data, start, pool);
  SquareProduct square(pool);
  double peak_operations = 0.0;
  const auto seconds =
      bench::take_turns(rounds, {[&] { training.run_epoch(); },
                                 [&] { peak_operations = run_peak(pool); }, [&] { square.run(); }});
  const auto examples = static_cast<double>(data.size());
  const double each = 2.0 * 2.0 * static_cast<double>(model.vocabulary.labels.size()) *
                      (static_cast<double>(data.dimension()) + 1.0);
  const auto own = per_operation(seconds[0], each * examples);
  const auto peak = per_operation(seconds[1], peak_operations);
  const auto product = per_operation(seconds[2], SquareProduct::kOperations);
  const auto line = [&](const char* what, const std::vector<double>& limit) {
    fmt::print("{:<44} {:>10.1f} GFLOP/s {:>8.1f}%\n", what, 1e-9 / bench::median(limit),
               100 * bench::median_ratio(limit, own));
  };
  fmt::print("{:<44} {:>10.2f} microseconds for an example of {:.3f} MFLOP\n", "softmax",
             1e6 * bench::median(seconds[0]) / examples, 1e-6 * each);
  fmt::print("{:<44} {:>10.1f} GFLOP/s  share of the limit\n", "", 1e-9 / bench::median(own));
  line("limit: multiply-adds in registers", peak);
  line(fmt::format("limit: one product, {0} x {0} x {0}", kSquare).c_str(), product);
  return EXIT_SUCCESS;
}

int run(int argument_count, char** texts) {
  const bench::Arguments arguments(argument_count, texts, {"classes", "dim", "timed", "rounds"});
  SynthOptions shape;
  shape.classes = arguments.number("classes", 1000);
  shape.dimension = arguments.number("dim", 128);
  shape.examples = std::max<std::uint64_t>(20000, 2 * std::uint64_t{shape.classes});
  const auto source =
      arguments.words().empty() ? bench::BenchData(shape) : bench::BenchData(arguments.words()[0]);
  const DatasetView all = source.view();
  ThreadPool pool(0);
  const ModelData model = bench::describe_model(all, source.classes(), softmax(), pool);
  const TrainState start = bench::fresh_state(model, all, pool);
  const bench::SomeExamples some(all, arguments.number("timed", 20000));
  const DatasetView data = some.view();
  if (!model.tables[kClassTable].layout.is_row_major()) {
    throw Error("the data is so sparse that its softmax is no matrix product; give denser data");
  }
  const double distance = distance_from_plain(model, data, start, pool);
  fmt::print(
      "softmax, {} classes, {} features, batches of {}, {} threads, {}; difference from plain "
      "steps in double precision, of the longest change: {:.1g}\n",
      source.classes(), data.dimension(), model.config.batch, pool.threads(), instruction_set(),
      distance);
  if (!(distance < kTolerance)) {
    fmt::print("the results differ: nothing is timed\n");
    return EXIT_FAILURE;
  }
  return time_softmax(model, data, start, static_cast<int>(arguments.number("rounds", 7)), pool);
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** texts) {
  return cane::bench::guarded([&] { return cane::run(argument_count, texts); });
}
