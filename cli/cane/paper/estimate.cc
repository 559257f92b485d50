#include "cli/cane/paper/estimate.h"

#include <algorithm>
#include <cmath>

#include "cli/cane/compare/spec.h"
#include "core/base/thread_pool.h"
#include "methods/config_facts.h"
#include "methods/step_work.h"

namespace cane::cli::paper {
namespace {

// Seconds of a thread for a unit of work, and of a program to start and to map its data; measured
// over ALOI, CLINC150 and Hangul.
constexpr double kSecondsOfWork = 0.5e-9;
constexpr double kSecondsToStart = 0.5;
// Training on all classes is a product of matrices, which gets more done than step_work.h says.
constexpr double kMatrixFactor = 0.3;
// So are rows without gaps, which are read in one sweep.
constexpr double kDenseFactor = 0.5;
// Online trees go down to a leaf and score few classes; their work is not in step_work.h.
constexpr double kTreeNodes = 60.0;
constexpr double kProgramBytes = 60.0 * (1 << 20);

// Products of matrices of a thread, and steps of a GPU with the body of Figure 3.
constexpr double kProductsPerSecond = 30e9;
constexpr double kBodyWeights = 1.2e6;
constexpr double kGpuSecondsOfStep = 0.8e-3;
constexpr double kGpuSecondsOfWord = 2.3e-8;  // a step of the full softmax takes so much more
constexpr double kTokensOfStep = 64.0 * 20.0;
constexpr double kSecondsToStartTorch = 4.0;

double threads_of(int threads) {
  return threads > 0 ? threads : available_cores();
}

struct Work {
  double step;
  double prediction;
  TrainConfig config;
};

Work work_of(const FoundSet& set, const std::string& spec) {
  DataFacts facts;
  facts.classes = static_cast<std::uint32_t>(set.classes);
  facts.dimension = static_cast<FeatureId>(set.features);
  facts.examples = set.examples;
  facts.density = set.density;
  const TrainConfig config = resolve(parse_methods(spec, {}).front().config, facts).config;
  if (is_online_tree(config)) {
    const double visit = kTreeNodes * (set.density * static_cast<double>(set.features) + 1.0);
    return {3.0 * visit, visit, config};
  }
  const double dense = set.density < 1.0 ? 1.0 : kDenseFactor;
  const double matrix = row_of(config.method).trains_all_classes ? kMatrixFactor : 1.0;
  return {dense * matrix * step_work(config, facts), dense * prediction_work(config, facts),
          config};
}

std::uint64_t memory_of(const FoundSet& set) {
  const double row = static_cast<double>(set.features) + 1.0;
  const double data = static_cast<double>(set.examples + set.test_examples) *
                      (set.density < 1.0 ? 8.0 * set.density : 4.0) * row;
  const double weights = 4.0 * row * static_cast<double>(set.classes);
  return static_cast<std::uint64_t>(kProgramBytes + data + 3.0 * weights);
}

}  // namespace

Expected expect_compare(const FoundSet& set, const std::string& spec, std::uint32_t epochs,
                        double limit, int threads) {
  const Work work = work_of(set, spec);
  const double unit = kSecondsOfWork / threads_of(threads);
  const double training = unit * work.step * static_cast<double>(set.examples) * epochs;
  const double testing =
      unit * work.prediction * static_cast<double>(set.test_examples) * (epochs + 1.0);
  const double limited = limit > 0.0 && training > limit ? 5.0 : training + testing;
  return {kSecondsToStart + limited, memory_of(set)};
}

Expected expect_tune(const FoundSet& set, const std::string& spec, int threads) {
  const Work work = work_of(set, spec);
  const MethodRow& method = row_of(work.config.method);
  const bool has_powers = method.has_noises() && !method.has_candidates;
  const double trials = 7.0 * (has_powers ? 6.0 : 1.0) * (method.grows_nodes ? 16.0 : 1.0);
  const double unit = kSecondsOfWork / threads_of(threads);
  constexpr double kTrained = 0.5;
  constexpr double kHeldOut = 0.1;
  const double trial = unit * static_cast<double>(set.examples) *
                       (kTrained * work.step + kHeldOut * work.prediction);
  return {kSecondsToStart + trials * trial, memory_of(set)};
}

Expected expect_head(const std::string& spec, double words, double trained_tokens,
                     double measured_tokens, bool on_gpu, int threads) {
  constexpr double kWidth = 256.0;
  constexpr double kSampledRows = 2500.0;  // frequent words and noises, or those of each token
  constexpr double kPasses = 6.0;          // multiplications and additions, there and back
  const bool is_full = spec.starts_with("softmax");
  const double bytes = kProgramBytes * 10.0 + 16.0 * kWidth * 2.0 * words;
  if (on_gpu) {
    const double step = kGpuSecondsOfStep + (is_full ? kGpuSecondsOfWord * words : 0.0);
    const double steps = (trained_tokens + 0.3 * measured_tokens) / kTokensOfStep;
    return {kSecondsToStartTorch + steps * step, static_cast<std::uint64_t>(bytes)};
  }
  const double speed = kProductsPerSecond * threads_of(threads);
  const double rows = is_full ? words : kSampledRows;
  const double training = trained_tokens * kPasses * (kBodyWeights + rows * kWidth) / speed;
  const double measuring = measured_tokens * 2.0 * (kBodyWeights + words * kWidth) / speed;
  return {kSecondsToStartTorch + training + measuring, static_cast<std::uint64_t>(bytes)};
}

}  // namespace cane::cli::paper
