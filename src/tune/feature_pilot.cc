#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cane/dataset.h"
#include "cane/error.h"
#include "cane/features.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "core/base/memory.h"
#include "core/base/stopwatch.h"
#include "core/base/thread_pool.h"
#include "core/file/cache_source.h"
#include "core/file/file_kind.h"
#include "core/parallel/shared_options.h"
#include "data/memory/examples_part.h"
#include "data/memory/memory_rows.h"
#include "data/reader/load_data.h"
#include "data/reader/record_sample.h"
#include "data/reader/text_file.h"
#include "data/vocabulary/feature_options.h"
#include "data/vocabulary/vocabulary.h"
#include "engine/describe_model.h"
#include "engine/hold_out.h"
#include "methods/config_facts.h"
#include "methods/resolve.h"
#include "tune/feature_rows.h"
#include "tune/pilot_trial.h"

namespace cane {
namespace {

// With fewer examples the differences are chance.
constexpr std::uint64_t kMinExamples = 500;
constexpr std::uint64_t kMinOfClass = 4;  // on average
// Multiply-adds of all trials together: a few seconds.
constexpr double kWork = 4e10;
// Features that all rows of the table together make of a word of five letters.
constexpr double kFeaturesOfWord = 30.0;
// Multiply-adds of a step for a feature and a class: the score, and the update.
constexpr double kStepWork = 3.0;
constexpr std::size_t kOneMeasuredIn = 5;
// In standard errors of an accuracy.
constexpr double kNearly = 0.5;
constexpr double kSigmasOfFeatures = 2.0;
// The number of different features grows as this power of the length of a text.
constexpr double kGrowth = 0.75;
// Share of the free memory that the weights may take.
constexpr double kMemoryShare = 0.25;
// Trainings over a bag, of all classes: enough to tell ways apart in a second or two.
constexpr std::uint64_t kWideSample = 30'000;
constexpr std::uint32_t kWideEpochs = 3;
constexpr std::uint32_t kWideNoises = 512;
constexpr float kWideRate = 0.3F;

/// Some of the data, to be read in any way.
struct FeatureSample {
  FeatureSource source = FeatureSource::kGiven;
  SampleCounts counts;
  std::function<LoadedData(const DataOptions& options, ThreadPool& pool)> load;
  /// More of it, of all classes.
  std::function<FeatureSample()> wider = {};
};

// Rows of weights of the whole training; an encoder's do not grow with the classes.
double weight_rows(const SampleCounts& counts, const TrainConfig& config) {
  return has_encoder(config) ? config.dim : static_cast<double>(counts.all_classes);
}

// What the weights of a text take at least: hashed features are there before any text is read.
double least_bytes(const DataOptions& way, const SampleCounts& counts, const TrainConfig& config) {
  const auto features = static_cast<double>(word_features(new_vocabulary(true, way)));
  return features * weight_rows(counts, config) * sizeof(float);
}

class FeaturePilot {
 public:
  FeaturePilot(const FeatureSample& sample, const TrainConfig& config, TrainObserver& observer)
      : sample_(sample),
        source_(sample.source),
        config_(config),
        observer_(observer),
        pool_(config.threads) {}

  DataOptions run(const DataOptions& asked) {
    for (const DataOptions& way : ways_from(source_, asked)) add(way, config_);
    if (ways_.empty() && config_.encoder == EncoderKind::kAuto) return encoded(asked);
    if (ways_.empty()) return usual_way(source_, asked);
    if (ways_.size() == 1) return ways_.front().options;
    say_sample();
    if (!train(0)) return usual_way(source_, asked);
    const Way& best = pick();
    report(best);
    return best.options;
  }

  ChosenFeatures search(const DataOptions& asked) {
    for (const DataOptions& way : ways_from(source_, asked)) add(way, config_);
    if (source_ == FeatureSource::kText) add_encoders(asked);
    if (ways_.empty()) return {usual_way(source_, asked), config_.encoder};
    say_sample();
    std::size_t best = 0;
    for (std::size_t begin = 0; begin < ways_.size();) {
      if (!train(begin)) return {usual_way(source_, asked), config_.encoder};
      const std::size_t before = best;
      const double least = ways_[before].trial.accuracy + kNearly * standard_error(ways_[before]);
      for (std::size_t i = begin; i < ways_.size(); ++i) {
        const double accuracy = ways_[i].trial.accuracy;
        if (accuracy > ways_[best].trial.accuracy && (begin == 0 || accuracy > least)) best = i;
      }
      if (begin > 0 && best == before) break;
      begin = ways_.size();
      add_changes(asked, best);
    }
    report(ways_[best]);
    return {ways_[best].options, ways_[best].trial.config.encoder};
  }

 private:
  struct Way {
    DataOptions options;
    Replica parts;
    PilotTrial trial = {};
  };

  // Rows of weights for the features themselves would be too many: the training will encode them.
  DataOptions encoded(const DataOptions& asked) const {
    FeatureSample wide = sample_.wider();
    if (wide.source == FeatureSource::kText) wide.source = FeatureSource::kEncodedText;
    TrainConfig config = config_;
    config.encoder = EncoderKind::kBag;
    if (config.epochs == 0) config.epochs = kWideEpochs;
    if (config.method == Method::kAuto && config.select == SelectorKind::kAuto) {
      config.method = Method::kCane;
      config.select = SelectorKind::kNone;
      if (config.noises == 0) config.noises = kWideNoises;
      if (config.lr == 0.0F) config.lr = kWideRate;
    }
    return FeaturePilot(wide, config, observer_).run(asked);
  }

  void say_sample() const {
    observer_.on_message(fmt::format("features: {} ways; trained on {} examples of {} classes",
                                     ways_.size(), sample_.counts.examples,
                                     sample_.counts.classes));
  }

  void add_encoders(const DataOptions& asked) {
    TrainConfig config = config_;
    config.encoder = EncoderKind::kBag;
    for (DataOptions way : ways_from(FeatureSource::kEncodedText, asked)) {
      if (way.normalize == Normalize::kAuto) way.normalize = Normalize::kL2;
      add(way, config);
    }
  }

  // All ways that differ from this one in one option, and were not tried yet.
  void add_changes(const DataOptions& asked, std::size_t from) {
    const DataOptions options = ways_[from].options;
    TrainConfig config = config_;
    config.encoder = ways_[from].trial.config.encoder;
    for (const FeatureChange& change : kFeatureChanges) {
      DataOptions way = options;
      change.apply(way);
      const bool is_new = std::ranges::none_of(ways_, [&](const Way& other) {
        return makes_the_same(other.options, way) && other.trial.config.encoder == config.encoder;
      });
      if (change.is_open(asked) && is_new) add(way, config);
    }
  }

  void add(const DataOptions& options, const TrainConfig& config) {
    const std::optional<Dataset> loaded = load(options, config);
    if (!loaded || loaded->data().view.is_dense()) return;
    const Dataset& data = *loaded;
    if (!fits(options, config, weight_bytes(data, config))) return;
    auto [rest, held_out] = hold_out(data, data.size() / kOneMeasuredIn, config.seed);
    Way way = {options, {std::move(rest), std::move(held_out)}};
    const auto classes = static_cast<std::uint32_t>(data.classes());
    way.trial.config = resolve(config, facts_of(data.data().view, classes)).config;
    way.trial.config.lr = config.lr;
    ways_.push_back(std::move(way));
  }

  bool fits(const DataOptions& options, const TrainConfig& config, double bytes) const {
    const double free = kMemoryShare * static_cast<double>(available_memory());
    const bool is_open = config.encoder == EncoderKind::kAuto;
    const double most = is_open ? kMostRowWeights * sizeof(float) : free;
    if (most == 0.0 || bytes <= most) return true;
    observer_.on_message(fmt::format("features: {} would take {} of memory, and is left out",
                                     way_name(source_, options, config.encoder),
                                     bytes_as_text(static_cast<std::uint64_t>(bytes))));
    return false;
  }

  // Nothing where the features do not allow these options: no weights of negative values, say.
  std::optional<Dataset> load(DataOptions options, const TrainConfig& config) {
    options.on_error = OnError::kSkip;
    try {
      if (!fits(options, config, least_bytes(options, sample_.counts, config))) return std::nullopt;
      return Dataset(std::make_shared<const LoadedData>(sample_.load(options, pool_)));
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  // Of the whole training.
  double weight_bytes(const Dataset& data, const TrainConfig& config) const {
    const double features = static_cast<double>(data.dimension()) *
                            std::pow(1.0 / sample_.counts.share_of_examples, kGrowth);
    return features * weight_rows(sample_.counts, config) * sizeof(float);
  }

  // Trains the ways from `begin` on. Returns false if no way has a result, or the user stopped it.
  bool train(std::size_t begin) {
    std::vector<PilotTrial> trials;
    std::vector<const Replica*> parts;
    for (std::size_t i = begin; i < ways_.size(); ++i) {
      trials.push_back(ways_[i].trial);
      parts.push_back(&ways_[i].parts);
    }
    if (!PilotRunner(pool_, observer_).run(parts, trials)) return false;
    for (std::size_t i = begin; i < ways_.size(); ++i) ways_[i].trial = trials[i - begin];
    return std::ranges::any_of(ways_, [](const Way& way) { return way.trial.accuracy > 0.0; });
  }

  static double standard_error(const Way& way) {
    const double accuracy = way.trial.accuracy;
    return std::sqrt(accuracy * (1.0 - accuracy) / static_cast<double>(way.parts.held_out.size()));
  }

  // Given features stay as they are unless another way is clearly better. For a bag the best is
  // taken. Of the other ways to cut a text
  // the last that is nearly the best is taken, not the cheapest: pieces of words help with words
  // that training never saw, of which examples of the same source hold fewer than those to come.
  const Way& pick() const {
    const auto best =
        std::ranges::max_element(ways_, {}, [](const Way& way) { return way.trial.accuracy; });
    const double accuracy = best->trial.accuracy;
    const double error = standard_error(*best);
    if (source_ == FeatureSource::kGiven) {
      return *std::ranges::find_if(ways_, [&](const Way& way) {
        return way.trial.accuracy >= accuracy - kSigmasOfFeatures * error;
      });
    }
    if (source_ == FeatureSource::kEncodedText) return *best;
    const Way* last = &*best;
    for (const Way& way : ways_) {
      if (way.trial.accuracy > accuracy - kNearly * error && &way > last) last = &way;
    }
    return *last;
  }

  void report(const Way& picked) const {
    const auto name_of_way = [&](const Way& way) {
      return way_name(source_, way.options, way.trial.config.encoder);
    };
    for (const Way& way : ways_) {
      const std::string name = name_of_way(way);
      observer_.on_message(way.trial.error.empty()
                               ? fmt::format("{:<48} {:>8} features {:>8.2f}% {:>8.2f} s", name,
                                             way.parts.train.dimension(), 100 * way.trial.accuracy,
                                             way.trial.seconds)
                               : fmt::format("{:<48} {}", name, way.trial.error));
    }
    observer_.on_message(
        fmt::format("features: picked {}, in {:.1f} s", name_of_way(picked), stopwatch_.seconds()));
  }

  const FeatureSample& sample_;
  FeatureSource source_;
  const TrainConfig& config_;
  TrainObserver& observer_;
  ThreadPool pool_;
  Stopwatch stopwatch_;
  std::vector<Way> ways_;
};

// Work is counted for the classes of the sample, or for the output of an encoder.
SampleLimits limits_for(const TrainConfig& config) {
  if (has_encoder(config)) return {.examples = kWideSample};
  constexpr std::uint32_t kEpochs = 20;
  const double epochs = config.epochs > 0 ? config.epochs : kEpochs;
  return {.work = kWork / (kStepWork * kFeaturesOfWord * epochs)};
}

TrainConfig over_a_bag(TrainConfig config) {
  config.encoder = EncoderKind::kBag;
  return config;
}

FeatureSource source_of(bool is_text, const TrainConfig& config) {
  if (!is_text) return FeatureSource::kGiven;
  return has_encoder(config) ? FeatureSource::kEncodedText : FeatureSource::kText;
}

// What has to be known before a pilot: a sample, unless there is nothing to measure.
struct Start {
  std::optional<FeatureSample> sample;
  DataOptions without;  // the answer where nothing is measured
  SampleCounts counts = {};
};

Start start_with(const FeatureSample& sample, const DataOptions& options,
                 const TrainConfig& config) {
  const SampleCounts& counts = sample.counts;
  const std::uint64_t fewest = std::max(kMinExamples, kMinOfClass * counts.classes);
  if (config.pilot != PilotKind::kOn || counts.examples < fewest || counts.classes < 2) {
    return {std::nullopt, usual_way(sample.source, options), counts};
  }
  return {sample, options, counts};
}

FeatureSample sample_of(const std::string& path, const DataOptions& options,
                        const TrainConfig& config) {
  SampleLimits limits = limits_for(config);
  if (config.pilot != PilotKind::kOn) limits.read_bytes = 1;  // enough to know the format
  auto sample = std::make_shared<const RecordSample>(sample_records(path, options, limits));
  const bool is_text = sample->choice.format->is_text && sample->choice.has_words;
  return {.source = source_of(is_text, config),
          .counts = sample->counts,
          .load = [sample](const DataOptions& way,
                           ThreadPool& pool) { return load_sample(*sample, way, pool); },
          .wider = [=] { return sample_of(path, options, over_a_bag(config)); }};
}

FeatureSample sample_of(const Examples& examples, const DataOptions& options,
                        const TrainConfig& config) {
  const ExampleSample chosen = sample_examples(examples, limits_for(config));
  auto part = std::make_shared<const ExamplesPart>(examples, chosen.examples);
  const bool is_text = std::holds_alternative<Texts>(examples.features);
  return {.source = source_of(is_text, config),
          .counts = chosen.counts,
          .load =
              [part](const DataOptions& way, ThreadPool& pool) {
                DataOptions same = way;
                same.threads = pool.threads();
                return load_examples(part->examples(), same);
              },
          .wider = [&examples, options,
                    config] { return sample_of(examples, options, over_a_bag(config)); }};
}

Start look_at(const std::string& path, const DataOptions& options, const TrainConfig& config,
              TrainObserver& observer) {
  check_fields(options);
  check_is_data(path);
  if (is_matrix(path, options)) return {std::nullopt, options};
  if (!stamp_of(path)) {
    observer.on_message(
        "features: what is no file can be read only once, so they are what lies between blanks, "
        "counted; options say otherwise");
    return {std::nullopt, options};
  }
  Start start = start_with(sample_of(path, options, config), options, config);
  // What cannot be read is said before anything is measured.
  if (start.sample && options.on_error == OnError::kStop) check_text_file(path, options);
  return start;
}

Start look_at(const Examples& examples, const DataOptions& options, const TrainConfig& config,
              TrainObserver& /*observer*/) {
  check_fields(options);
  if (std::holds_alternative<DenseRows>(examples.features)) return {std::nullopt, options};
  check_labels(examples);
  if (const auto* const rows = std::get_if<SparseRows>(&examples.features)) {
    check_shape(*rows, nullptr);
  }
  return start_with(sample_of(examples, options, config), options, config);
}

template <typename Source>
DataOptions choose(const Source& source, const DataOptions& options, const TrainConfig& config,
                   TrainObserver* observer) {
  TrainObserver silent;
  TrainObserver& reported = observer != nullptr ? *observer : silent;
  const Start start = look_at(source, options, config, reported);
  const DataOptions chosen =
      start.sample ? FeaturePilot(*start.sample, config, reported).run(options) : start.without;
  check_memory_of(chosen.hash_bits > 0 ? "hash_bits" : "ngram_bits",
                  least_bytes(chosen, start.counts, config));
  return chosen;
}

template <typename Source>
ChosenFeatures search(const Source& source, const DataOptions& options, const TrainConfig& config,
                      TrainObserver* observer) {
  TrainObserver silent;
  TrainObserver& reported = observer != nullptr ? *observer : silent;
  const Start start = look_at(source, options, config, reported);
  if (!start.sample) return {start.without, config.encoder};
  return FeaturePilot(*start.sample, config, reported).search(options);
}

}  // namespace

DataOptions choose_features(const std::string& path, const DataOptions& options,
                            const TrainConfig& config, const Context& context) {
  const Ranks& ranks = context.ranks;
  DataOptions chosen = ranks.is_first() ? choose(path, options, config, context.observer) : options;
  take_options_of_first(chosen, ranks.communicator());
  return chosen;
}
DataOptions choose_features(const Examples& examples, const DataOptions& options,
                            const TrainConfig& config, TrainObserver* observer) {
  return choose(examples, options, config, observer);
}

ChosenFeatures search_features(const std::string& path, const DataOptions& options,
                               const TrainConfig& config, TrainObserver* observer) {
  return search(path, options, config, observer);
}
ChosenFeatures search_features(const Examples& examples, const DataOptions& options,
                               const TrainConfig& config, TrainObserver* observer) {
  return search(examples, options, config, observer);
}

}  // namespace cane
