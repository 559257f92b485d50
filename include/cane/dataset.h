// Examples with labels, read from a file. Cheap to copy: copies share the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cane/data_options.h"

namespace cane {

class Model;
struct LoadedData;

/// What a user wants to hear about after reading; nothing of it is fatal.
struct ReadReport {
  std::uint64_t skipped_lines = 0;              // with OnError::kSkip
  std::string first_skipped;                    // its message, file:line: what is wrong
  std::uint64_t unseen_labels = 0;              // examples whose label training never saw
  std::vector<std::string> unseen_label_names;  // the first few, distinct
  std::uint64_t ignored_features = 0;           // feature occurrences that training never saw
  std::uint64_t empty_examples = 0;             // without any feature, or any that is known
  bool from_cache = false;
  std::string cache_problem;  // why the parsed file could not be kept; empty: it was, or not asked
};

class Dataset {
 public:
  /// Reads training data ("-": standard input); labels and words are learned from it.
  static Dataset load(const std::string& path, const DataOptions& options = {});
  /// Reads data through the labels and features of a model.
  static Dataset load(const std::string& path, const Model& model, const DataOptions& options = {});
  /// Reads data (for validation, say) through the labels and features of training data.
  static Dataset load(const std::string& path, const Dataset& training,
                      const DataOptions& options = {});

  std::size_t size() const;
  /// Features, the bias not counted.
  std::size_t dimension() const;
  /// Label of each class, in the order of their ids.
  const std::vector<std::string>& labels() const;
  std::size_t classes() const { return labels().size(); }
  const ReadReport& report() const;

  /// These examples, in this order, with the same labels and features. The features are shared, not
  /// copied. Throws Error if there are none, or one that does not exist.
  Dataset subset(std::span<const std::uint32_t> examples) const;

  /// For the library's own use.
  const LoadedData& data() const { return *data_; }
  explicit Dataset(std::shared_ptr<const LoadedData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const LoadedData> data_;
};

/// Two parts of the data, each in the order of the data: the second has the share `held_out` of the
/// examples (at least one, and not all), picked at random. The same seed picks the same ones.
std::pair<Dataset, Dataset> split(const Dataset& data, double held_out, std::uint64_t seed);

}  // namespace cane
