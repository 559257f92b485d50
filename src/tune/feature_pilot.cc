#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "cane/dataset.h"
#include "cane/error.h"
#include "cane/features.h"
#include "cane/fields.h"
#include "cane/names.h"
#include "core/base/field_text.h"
#include "core/base/memory.h"
#include "core/base/thread_pool.h"
#include "core/file/cache_source.h"
#include "core/file/file_kind.h"
#include "data/loaded_data.h"
#include "data/text/record_sample.h"
#include "data/text/text_loader.h"
#include "engine/describe_model.h"
#include "engine/hold_out.h"
#include "methods/config_facts.h"
#include "methods/resolve.h"
#include "tune/feature_rows.h"
#include "tune/pilot_trial.h"

namespace cane {
namespace {

// With fewer examples the differences are chance.
constexpr std::uint64_t kFewestExamples = 500;
// Multiply-adds of all trials together: a few seconds.
constexpr double kWork = 4e10;
// Features that all rows of the table together make of a word of five letters.
constexpr double kFeaturesOfWord = 30.0;
// Multiply-adds of a step for a feature and a class: the score, and the update.
constexpr double kStepWork = 3.0;
constexpr std::size_t kOneHeldOutIn = 5;
// A cheaper way is taken if it is worse by no more than so many standard errors; given features
// stay as they are unless another way is better by so many.
constexpr double kNearly = 0.5;
constexpr double kClearly = 2.0;
// The number of different features grows as this power of the length of a text.
constexpr double kGrowth = 0.75;
// Share of the free memory that the weights may take.
constexpr double kMemoryShare = 0.25;

DataOptions fill_in(DataOptions options, const FeatureRow& row) {
  const auto fill = [](auto& option, auto automatic, auto value) {
    if (option == automatic) option = value;
  };
  fill(options.tokenizer, TokenizerKind::kAuto, row.tokenizer);
  fill(options.weights, FeatureWeights::kAuto, row.weights);
  fill(options.word_ngrams, 0U, row.word_ngrams);
  fill(options.char_ngrams, CharNgrams::automatic(), row.char_ngrams);
  fill(options.normalize, Normalize::kAuto, row.normalize);
  return options;
}

auto features_of(const DataOptions& options) {
  return std::tuple(options.tokenizer, options.weights, options.word_ngrams,
                    options.char_ngrams.min, options.char_ngrams.max, options.normalize);
}

std::vector<DataOptions> ways_from(FeatureSource source, const DataOptions& asked) {
  std::vector<DataOptions> ways;
  for (const FeatureRow& row : kFeatureRows) {
    if (row.source != source) continue;
    const DataOptions way = fill_in(asked, row);
    const bool is_new = std::ranges::none_of(
        ways, [&](const DataOptions& other) { return features_of(other) == features_of(way); });
    if (is_new) ways.push_back(way);
  }
  return ways;
}

DataOptions usual_way(FeatureSource source, const DataOptions& asked) {
  const auto row = std::ranges::find_if(kFeatureRows, [&](const FeatureRow& candidate) {
    return candidate.source == source && candidate.is_usual;
  });
  return fill_in(asked, *row);
}

std::string way_name(FeatureSource source, const DataOptions& way) {
  std::string name = source == FeatureSource::kGiven ? "features" : name_of(way.tokenizer);
  if (way.word_ngrams > 1) name += fmt::format(", runs of {}", way.word_ngrams);
  if (way.char_ngrams.max > 0 && way.char_ngrams != CharNgrams::automatic()) {
    name += fmt::format(", pieces of {}-{} letters", way.char_ngrams.min, way.char_ngrams.max);
  }
  name += fmt::format("; {}",
                      way.weights == FeatureWeights::kAuto ? "as they are" : name_of(way.weights));
  if (way.normalize == Normalize::kL2) name += ", l2";
  return name;
}

class FeaturePilot {
 public:
  FeaturePilot(const RecordSample& sample, FeatureSource source, const TrainConfig& config,
               TrainObserver& observer)
      : sample_(sample),
        source_(source),
        config_(config),
        observer_(observer),
        pool_(config.threads) {}

  DataOptions run(const DataOptions& asked) {
    const auto begin = std::chrono::steady_clock::now();
    for (const DataOptions& way : ways_from(source_, asked)) add(way);
    if (ways_.empty()) return usual_way(source_, asked);
    if (ways_.size() == 1) return ways_.front().options;
    observer_.on_message(fmt::format("features: {} ways; trained on {} examples of {} classes",
                                     ways_.size(), sample_.examples, sample_.classes));
    if (!train()) return usual_way(source_, asked);
    const Way& best = pick();
    report(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), best);
    return best.options;
  }

 private:
  struct Way {
    DataOptions options;
    Replica parts;
    PilotTrial trial = {};
  };

  void add(const DataOptions& options) {
    const std::optional<Dataset> loaded = load(options);
    if (!loaded || loaded->data().view.is_dense()) return;
    const Dataset& data = *loaded;
    const double bytes = weight_bytes(data);
    const auto free = static_cast<double>(available_memory());
    if (free > 0.0 && bytes > kMemoryShare * free) {
      observer_.on_message(fmt::format("features: {} would take {} of memory, and is left out",
                                       way_name(source_, options),
                                       bytes_as_text(static_cast<std::uint64_t>(bytes))));
      return;
    }
    auto [rest, held_out] = hold_out(data, data.size() / kOneHeldOutIn, config_.seed);
    Way way = {options, {std::move(rest), std::move(held_out)}};
    const auto classes = static_cast<std::uint32_t>(data.classes());
    way.trial.config = resolve(config_, facts_of(data.data().view, classes)).config;
    way.trial.config.lr = config_.lr;
    ways_.push_back(std::move(way));
  }

  // Nothing where the features do not allow these options: no weights of negative values, say.
  std::optional<Dataset> load(DataOptions options) {
    options.on_error = OnError::kSkip;
    try {
      return Dataset(std::make_shared<const LoadedData>(load_sample(sample_, options, pool_)));
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // Of the whole training; an encoder's rows do not grow with the classes.
  double weight_bytes(const Dataset& data) const {
    const double features =
        static_cast<double>(data.dimension()) * std::pow(1.0 / sample_.share_of_examples, kGrowth);
    const double rows =
        has_encoder(config_) ? config_.dim : static_cast<double>(sample_.all_classes);
    return features * rows * sizeof(float);
  }

  bool train() {
    std::vector<PilotTrial> trials;
    std::vector<const Replica*> parts;
    for (const Way& way : ways_) {
      trials.push_back(way.trial);
      parts.push_back(&way.parts);
    }
    if (!PilotRunner(pool_, observer_).run(parts, trials)) return false;
    for (std::size_t i = 0; i < ways_.size(); ++i) ways_[i].trial = trials[i];
    return std::ranges::any_of(trials, [](const PilotTrial& trial) { return trial.accuracy > 0; });
  }

  const Way& pick() const {
    const auto best =
        std::ranges::max_element(ways_, {}, [](const Way& way) { return way.trial.accuracy; });
    const double accuracy = best->trial.accuracy;
    const auto measured = static_cast<double>(best->parts.held_out.size());
    const double error = std::sqrt(accuracy * (1.0 - accuracy) / measured);
    const double least = accuracy - (source_ == FeatureSource::kGiven ? kClearly : kNearly) * error;
    return *std::ranges::find_if(ways_,
                                 [&](const Way& way) { return way.trial.accuracy >= least; });
  }

  void report(double seconds, const Way& picked) const {
    for (const Way& way : ways_) {
      const std::string name = way_name(source_, way.options);
      observer_.on_message(way.trial.error.empty()
                               ? fmt::format("{:<48} {:>8} features {:>8.2f}% {:>8.2f} s", name,
                                             way.parts.train.dimension(), 100 * way.trial.accuracy,
                                             way.trial.seconds)
                               : fmt::format("{:<48} {}", name, way.trial.error));
    }
    observer_.on_message(fmt::format("features: picked {}, in {:.1f} s",
                                     way_name(source_, picked.options), seconds));
  }

  const RecordSample& sample_;
  FeatureSource source_;
  const TrainConfig& config_;
  TrainObserver& observer_;
  ThreadPool pool_;
  std::vector<Way> ways_;
};

// Work is counted for the classes of the sample, or for the output of an encoder.
SampleLimits limits_for(const TrainConfig& config) {
  return {.work = kWork / (kStepWork * kFeaturesOfWord * config.epochs)};
}

FeatureSource source_of(const RecordSample& sample, const TrainConfig& config) {
  if (!sample.format->is_text || !sample.has_words) return FeatureSource::kGiven;
  return has_encoder(config) ? FeatureSource::kEncodedText : FeatureSource::kText;
}

}  // namespace

DataOptions choose_features(const std::string& path, const DataOptions& options,
                            const TrainConfig& config, TrainObserver* observer) {
  TrainObserver silent;
  TrainObserver& reported = observer != nullptr ? *observer : silent;
  check_fields(options);
  check_is_data(path);
  if (is_matrix(path, options)) return options;
  if (!stamp_of(path)) {
    reported.on_message(
        "features: what is no file can be read only once, so they are what lies between blanks, "
        "counted; options say otherwise");
    return options;
  }
  SampleLimits limits = limits_for(config);
  if (config.pilot == PilotKind::kOff) limits.read_bytes = 1;  // enough to know the format
  const RecordSample sample = sample_records(path, options, limits);
  const FeatureSource source = source_of(sample, config);
  if (config.pilot == PilotKind::kOff || sample.examples < kFewestExamples || sample.classes < 2) {
    return usual_way(source, options);
  }
  return FeaturePilot(sample, source, config, reported).run(options);
}

}  // namespace cane
