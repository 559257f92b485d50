// Labelled examples, read from a file or from memory. Cheap to copy: copies share the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cane/context.h"
#include "cane/data_options.h"
#include "cane/examples.h"

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

/// Why a row has nothing to answer.
enum class GapKind : std::uint32_t {
  kBlank,    // a blank line, or a comment
  kSkipped,  // it could not be read, and bad lines are skipped
  kEmpty,    // no feature that training saw
};

/// An example without features, with DataOptions::every_row.
struct RowGap {
  std::uint64_t example = 0;
  GapKind kind = GapKind::kBlank;
};

class Dataset {
 public:
  /// Reads training data ("-": standard input) and builds the label and word dictionaries from it.
  /// Ranks share the data: each gets a part of the examples, in order, with the labels and features
  /// of all of them, and the report on all, but for its warnings. All ranks call it.
  static Dataset load(const std::string& path, const DataOptions& options = {},
                      const Context& context = {});
  /// Reads data using the labels and features of a model.
  static Dataset load(const std::string& path, const Model& model, const DataOptions& options = {},
                      const Context& context = {});
  /// Reads data (for validation, say) using the labels and features of the training data.
  static Dataset load(const std::string& path, const Dataset& training,
                      const DataOptions& options = {}, const Context& context = {});

  /// The same for examples in memory. Dense rows, and sparse ones whose values stay as they are,
  /// are used where they lie: see Examples::owner. Without a model or training data, classes have
  /// the numbers that the examples give them. Throws NonFiniteError for a value that is NaN or
  /// infinite.
  static Dataset load(const Examples& examples, const DataOptions& options = {});
  static Dataset load(const Examples& examples, const Model& model,
                      const DataOptions& options = {});
  static Dataset load(const Examples& examples, const Dataset& training,
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

  /// The rows that have nothing to answer, in order; of data as it was loaded, not of a part of it.
  std::span<const RowGap> gaps() const;
  /// The cells of DataOptions::keep_columns of an example, in the order of that list.
  std::span<const std::string> kept(std::size_t example) const;
  /// How many examples the ranks before this one have.
  std::uint64_t first_example() const;

  /// The given examples, in the given order, with the same labels and features. The features are
  /// shared, not copied. Throws Error if `examples` is empty or contains an example that does not
  /// exist.
  Dataset subset(std::span<const std::uint32_t> examples) const;

  /// The same examples in an order that depends on their content alone. If all weights are whole
  /// numbers and their mean is at most 8, a weight becomes so many copies, which share the
  /// features; examples of weight zero are left out. So training gives the same model whatever the
  /// order, and whether an example is there twice or has weight two. Data that is mapped from a
  /// file or takes more than 128 MiB keeps its order and its weights.
  Dataset canonical(int threads = 0) const;

  /// The examples of all ranks that share the data, those of lower ranks first: what one process
  /// would have read. Large data is kept in a temporary file in `cache_directory`, empty for the
  /// folder of the caches. Throws Error if it does not fit there. All ranks call it.
  Dataset gathered(const Ranks& ranks, const std::string& cache_directory = {}) const;

  /// The class of each example, kNoClass if its label is missing or unknown.
  std::span<const std::uint32_t> class_ids() const;
  static constexpr std::uint32_t kNoClass = 0xFFFFFFFF;

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
