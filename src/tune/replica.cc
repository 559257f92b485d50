#include "tune/replica.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "data/loaded_data.h"

namespace cane {
namespace {

// Classes of a neighbourhood.
constexpr std::size_t kNeighbours = 16;
constexpr std::size_t kMaxRatio = 4;
// One in this many examples is held out.
constexpr std::uint64_t kOneHeldOutIn = 5;

// Which classes are taken, as their new numbers; kUnknownClass for all others.
struct ClassSample {
  std::vector<ClassId> numbers;
  std::vector<ClassId> classes;
};

struct Neighbourhood {
  std::size_t begin = 0;  // places in the order
  std::size_t end = 0;
  std::size_t examples = 0;
};

// Neighbourhoods in random order, without those that have many times their share of the
// examples: a few frequent classes would be all that is measured, and take all the work.
std::vector<Neighbourhood> find_neighbourhoods(std::span<const ClassId> order,
                                               std::span<const ClassId> labels,
                                               std::uint64_t seed) {
  std::vector<std::size_t> counts(order.size(), 0);
  for (const ClassId label : labels) ++counts[label];
  const std::size_t count = (order.size() + kNeighbours - 1) / kNeighbours;
  const std::size_t most = std::max(kMaxRatio * labels.size() / count, kNeighbours);
  std::vector<Neighbourhood> neighbourhoods;
  for (std::size_t begin = 0; begin < order.size(); begin += kNeighbours) {
    Neighbourhood neighbourhood = {begin, std::min(begin + kNeighbours, order.size()), 0};
    for (std::size_t place = begin; place < neighbourhood.end; ++place) {
      neighbourhood.examples += counts[order[place]];
    }
    if (neighbourhood.examples <= most) neighbourhoods.push_back(neighbourhood);
  }
  const CounterRandom random(seed, RandomPurpose::kSplit, 2);
  for (std::size_t i = neighbourhoods.size(); i > 1; --i) {
    std::swap(neighbourhoods[i - 1], neighbourhoods[random.below(i, i, 0)]);
  }
  return neighbourhoods;
}

// Where classes are rarer than the mean one, more of them are taken, to have as many examples.
ClassSample take_classes(std::span<const ClassId> order, std::span<const ClassId> labels,
                         std::size_t wanted, std::uint64_t seed) {
  ClassSample taken = {std::vector<ClassId>(order.size(), kUnknownClass), {}};
  const std::size_t wanted_examples = labels.size() * wanted / order.size();
  std::size_t examples = 0;
  for (const Neighbourhood& neighbourhood : find_neighbourhoods(order, labels, seed)) {
    const std::size_t classes = taken.classes.size();
    if (classes >= kMaxRatio * wanted || (classes >= wanted && examples >= wanted_examples)) break;
    examples += neighbourhood.examples;
    for (std::size_t place = neighbourhood.begin; place < neighbourhood.end; ++place) {
      taken.numbers[order[place]] = static_cast<ClassId>(taken.classes.size());
      taken.classes.push_back(order[place]);
    }
  }
  return taken;
}

struct PartStorage {
  std::shared_ptr<const void> features;
  std::vector<std::uint64_t> rows;
  std::vector<ClassId> labels;
  std::vector<float> weights;
};

Dataset as_dataset(const LoadedData& data, const Vocabulary& vocabulary,
                   std::shared_ptr<PartStorage> part) {
  const DatasetView view = data.view.with_rows(part->rows, part->labels, part->weights);
  return Dataset(
      std::make_shared<const LoadedData>(LoadedData{view, vocabulary, {}, std::move(part)}));
}

}  // namespace

std::optional<Replica> make_replica(const Dataset& data, std::span<const ClassId> order,
                                    std::size_t classes, std::uint64_t seed) {
  const LoadedData& loaded = data.data();
  const DatasetView& view = loaded.view;
  const ClassSample taken = take_classes(order, view.labels(), classes, seed);
  Vocabulary vocabulary = loaded.vocabulary;
  vocabulary.words.clear();
  vocabulary.labels.clear();
  for (const ClassId k : taken.classes) {
    vocabulary.labels.push_back(loaded.vocabulary.labels[k]);
  }
  const CounterRandom random(seed, RandomPurpose::kSplit, 3);
  std::vector<bool> has_example(taken.classes.size(), false);
  auto train = std::make_shared<PartStorage>();
  auto held_out = std::make_shared<PartStorage>();
  train->features = held_out->features = loaded.storage;
  for (std::size_t example = 0; example < view.size(); ++example) {
    const ClassId number = taken.numbers[view.label(example)];
    if (number == kUnknownClass) continue;
    // The first example of a class is learned from, so that every class is known.
    const bool learns = !has_example[number] || random.below(kOneHeldOutIn, example, 0) > 0;
    has_example[number] = true;
    PartStorage& part = learns ? *train : *held_out;
    part.rows.push_back(view.stored_row(example));
    part.labels.push_back(number);
    if (view.has_weights()) part.weights.push_back(view.weight(example));
  }
  if (held_out->rows.empty()) return std::nullopt;
  return Replica{as_dataset(loaded, vocabulary, std::move(train)),
                 as_dataset(loaded, vocabulary, std::move(held_out)),
                 data.classes() - taken.classes.size()};
}

}  // namespace cane
