#include "theory/consistency.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/random.h"
#include "core/noise/uniform_noise.h"
#include "core/noise/unigram_noise.h"
#include "core/objective/candidates_vs_noises.h"
#include "core/objective/pooled_noises.h"
#include "theory/finite_example.h"

namespace cane::theory {
namespace {

constexpr double kScoreSpread = 1.0;      // of the true scores
constexpr double kSkew = 3.0;             // of the logarithms of the skewed law
constexpr double kPerturbation = 0.5;     // of a score, as a standard deviation
constexpr double kUnigramExamples = 1e3;  // of the most frequent class

// Rows of random numbers, one for each use.
enum Use : std::uint64_t { kTruth, kSkewedLaw, kFirstPerturbation };

std::vector<double> normals(std::uint64_t seed, std::uint64_t use, std::uint32_t count) {
  const CounterRandom random(seed, RandomPurpose::kSynthetic);
  std::vector<double> values(count);
  for (std::uint32_t k = 0; k < count; ++k) values[k] = random.normal(use, k);
  return values;
}

std::vector<double> random_probabilities(const ConsistencyOptions& options) {
  std::vector<double> p = normals(options.seed, kTruth, options.classes);
  for (double& value : p) value = std::exp(kScoreSpread * value);
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= total;
  return p;
}

using NamedLaw = std::pair<std::string, std::unique_ptr<FixedNoise>>;

std::vector<NamedLaw> noise_laws(const ConsistencyOptions& options) {
  std::vector<double> zipf(options.classes);
  std::vector<double> skewed = normals(options.seed, kSkewedLaw, options.classes);
  for (std::uint32_t k = 0; k < options.classes; ++k) {
    zipf[k] = kUnigramExamples / (1.0 + k);
    skewed[k] = std::exp(kSkew * skewed[k]);
  }
  std::vector<NamedLaw> laws;
  laws.emplace_back("uniform", std::make_unique<UniformNoise>(options.classes));
  laws.emplace_back("unigram", std::make_unique<UnigramNoise>(zipf, 1.0F));
  laws.emplace_back("skewed", std::make_unique<UnigramNoise>(skewed, 1.0F));
  return laws;
}

double norm(std::span<const double> values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

double margin(const FiniteExample& example, std::uint32_t noises, const ConsistencyOptions& options,
              std::span<const double> optimum) {
  const CandidatesVsNoises cane;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < options.perturbations; ++i) {
    std::vector<double> scores = normals(options.seed, kFirstPerturbation + i, options.classes);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      scores[k] = optimum[k] + kPerturbation * scores[k];
    }
    const Expectation there = expect(example, noises, LabelOutside::kAlone, cane, scores);
    largest = std::max(largest, there.objective);
  }
  return expect(example, noises, LabelOutside::kAlone, cane, optimum).objective - largest;
}

ConsistencyRow check_row(const FiniteExample& example, std::uint32_t noises,
                         const ConsistencyOptions& options) {
  std::vector<double> optimum;
  for (const double p : example.probabilities) optimum.push_back(std::log(p));
  const auto gradient_norm = [&](const Objective& loss, LabelOutside label_outside) {
    return norm(expect(example, noises, label_outside, loss, optimum).gradient);
  };
  ConsistencyRow row;
  row.candidates = static_cast<std::uint32_t>(example.candidates.size());
  row.noises = noises;
  row.cane_gradient_norm = gradient_norm(CandidatesVsNoises(), LabelOutside::kAlone);
  row.pooled_gradient_norm = gradient_norm(PooledNoises(), LabelOutside::kAlone);
  row.pooled_beside_noises_gradient_norm = gradient_norm(PooledNoises(), LabelOutside::kWithNoises);
  row.objective_margin = margin(example, noises, options, optimum);
  return row;
}

}  // namespace

std::vector<ConsistencyRow> check_consistency(const ConsistencyOptions& options) {
  const std::vector<double> p = random_probabilities(options);
  std::vector<ClassId> best_first(options.classes);
  std::iota(best_first.begin(), best_first.end(), 0U);
  std::ranges::sort(best_first, [&](ClassId a, ClassId b) { return p[a] > p[b]; });
  const std::vector<ClassId> worst_first(best_first.rbegin(), best_first.rend());
  const std::vector<NamedLaw> laws = noise_laws(options);
  std::vector<ConsistencyRow> rows;
  for (const auto& [chosen, order] :
       {std::pair{"most probable", best_first}, std::pair{"least probable", worst_first}}) {
    for (const std::uint32_t count : options.candidates) {
      for (const auto& [name, law] : laws) {
        const FiniteExample example = make_example(p, {order.begin(), order.begin() + count}, *law);
        for (std::uint32_t noises = 1; noises <= options.most_noises; ++noises) {
          rows.push_back(check_row(example, noises, options));
          rows.back().chosen = chosen;
          rows.back().law = name;
        }
      }
    }
  }
  return rows;
}

}  // namespace cane::theory
