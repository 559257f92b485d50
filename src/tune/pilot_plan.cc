#include <algorithm>
#include <cmath>

#include "methods/config_facts.h"
#include "methods/step_work.h"
#include "tune/pilot.h"
#include "tune/pilot_settings.h"

namespace cane {
namespace {

// Part of the work for the selectors; the rest is for replicas.
constexpr double kSelectorPart = 0.3;
// Trainings of a replica, counted as in the first stage (tune/pilot.cc): of several settings,
// or of rates and starts for one.
constexpr double kReplicaTrainings = 10.0;
constexpr double kTrainingsOfOne = 5.0;
// A selector is measured from a start of its own. If these would take more than this share of the
// training, the selector is the one that follows from the sizes.
constexpr double kMaxStarts = 0.2;
constexpr std::size_t kMinClasses = 32;
constexpr std::size_t kMaxClasses = 512;
constexpr std::size_t kMinMeasured = 200;
constexpr std::size_t kMaxMeasured = 2000;

DataFacts facts_of_replica(DataFacts facts, std::size_t classes) {
  facts.examples = facts.examples * classes / facts.classes;
  facts.classes = static_cast<std::uint32_t>(classes);
  return facts;
}

}  // namespace

PilotPlan plan_pilot(const TrainConfig& asked, const DataFacts& facts, const PilotLimits& limits) {
  PilotPlan plan;
  if (asked.pilot == PilotKind::kOff || facts.classes < 2) return plan;
  const TrainConfig automatic = resolve(asked, facts).config;
  // A representation is learned from all examples; the examples of a few classes say little about
  // it.
  if (has_encoder(automatic)) return plan;
  const double training = training_work(automatic, facts);
  const bool is_short = training < limits.least_work;
  if (is_online_tree(automatic)) return plan;
  // The automatic rate fits dense rows; over sparse ones it is the noise of the labels that counts.
  const bool is_dense = has_dense_rows(automatic, facts.density);
  if (is_short && (is_dense || facts.examples < limits.fewest_examples)) return plan;
  const double budget = is_short ? limits.short_work : limits.share * training;
  std::vector<TrainConfig> settings = pilot_settings(asked, facts);
  const double starts = static_cast<double>(settings.size()) * start_work(facts);
  if (is_short || starts > kMaxStarts * training) settings.resize(1);
  if (settings.size() == 1 && asked.lr != 0.0F && asked.start != StartKind::kAuto) return plan;
  double measuring = 0.0;
  for (const TrainConfig& config : settings) measuring += prediction_work(config, facts);
  const double measured = kSelectorPart * budget / measuring;
  if (measured >= static_cast<double>(kMinMeasured) && settings.size() > 1) {
    plan.measured =
        std::min({static_cast<std::size_t>(measured), kMaxMeasured, facts.examples / 10});
  }
  const double trainings = settings.size() > 1 ? kReplicaTrainings : kTrainingsOfOne;
  const double room = (1.0 - kSelectorPart) * budget / trainings;
  const std::size_t fewest = std::min<std::size_t>(kMinClasses, facts.classes);
  std::size_t classes = std::min<std::size_t>(kMaxClasses, facts.classes);
  while (training_work(automatic, facts_of_replica(facts, classes)) > room) {
    if (classes == fewest) return plan;
    classes = std::max(classes * 3 / 4, fewest);
  }
  plan.classes = classes;
  plan.settings = std::move(settings);
  return plan;
}

}  // namespace cane
