// Labelled examples read from a file. Cheap to copy: copies share the data.
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

/// Non-fatal findings of a read that should be reported to the user.
struct ReadReport {
  std::uint64_t skipped_lines = 0;              // with OnError::kSkip
  std::string first_skipped;                    // its message, "file:line: problem"
  std::uint64_t unseen_labels = 0;              // examples whose label training never saw
  std::vector<std::string> unseen_label_names;  // the first few, distinct
  std::uint64_t ignored_features = 0;           // feature occurrences that training never saw
  std::uint64_t empty_examples = 0;             // without any known feature
  /// What suggests that the data does not fit the model or the training data that it was read
  /// through: most words unknown, features on another scale, features that the model lacks.
  std::vector<std::string> warnings;
  bool from_cache = false;
  /// What was chosen in reading and what looks wrong, for the user: the columns of a table, say.
  std::vector<std::string> notes;
  std::string cache_problem;  // why no cache was written; empty: written, or not requested
};

class Dataset {
 public:
  /// Reads training data ("-": standard input) and builds the label and word dictionaries from it.
  static Dataset load(const std::string& path, const DataOptions& options = {});
  /// Reads data using the labels and features of a model.
  static Dataset load(const std::string& path, const Model& model, const DataOptions& options = {});
  /// Reads data (for validation, say) using the labels and features of the training data.
  static Dataset load(const std::string& path, const Dataset& training,
                      const DataOptions& options = {});

  /// The files that load() reads: the data and, beside a NumPy matrix, its labels.
  static std::vector<std::string> files(const std::string& path, const DataOptions& options = {});

  std::size_t size() const;
  /// Number of features, excluding the bias.
  std::size_t dimension() const;
  /// Mean share of the features that an example has; 1 for dense rows.
  double density() const;
  /// Label of each class, indexed by class id.
  const std::vector<std::string>& labels() const;
  std::size_t classes() const { return labels().size(); }
  const ReadReport& report() const;

  /// The given examples, in the given order, with the same labels and features. The features are
  /// shared, not copied. Throws Error if `examples` is empty or contains an example that does not
  /// exist.
  Dataset subset(std::span<const std::uint32_t> examples) const;

  /// For the library's own use.
  const LoadedData& data() const { return *data_; }
  explicit Dataset(std::shared_ptr<const LoadedData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const LoadedData> data_;
};

/// Splits the data at random into two parts, each in the original order. The second part holds the
/// fraction `held_out` of the examples (at least one, never all). The split is determined by the
/// seed.
std::pair<Dataset, Dataset> split(const Dataset& data, double held_out, std::uint64_t seed);

}  // namespace cane
