// The data of the paper's experiments: which sets there are, how each is recognised in the user's
// folder by the names of its files and by its shape, and what stands in for a set that is absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cane::cli::paper {

enum class Task { kClassification, kLanguageModel };

/// A set of the paper, or one that stands in for it.
struct SetRow {
  std::string_view key;        // in names of parts: "figure2/aloi"
  std::string_view title;      // "ALOI"
  std::string_view paper_key;  // of the set of the paper whose figures are set beside it
  Task task = Task::kClassification;
  std::string_view folders;  // names of its folder, with | between them
  std::string_view train;    // names of its files without endings, with | between them
  std::string_view test;
  std::string_view single;     // one file that is split 90% to 10%
  std::uint32_t features = 0;  // shape by which a NumPy matrix is recognised; 0: not by shape
  std::uint32_t classes = 0;
  std::uint32_t shortlist = 0;    // candidates and noises together: 10 or 20
  std::uint32_t epochs = 0;       // as the paper trains
  std::uint64_t tokens = 0;       // of a training text, about
  std::uint32_t words = 0;        // of its vocabulary in the paper
  std::uint32_t least_count = 1;  // words that come less often are left out
  std::string_view where;         // where it is published

  bool is_stand_in() const { return key != paper_key; }
};

/// All of them; a stand-in comes after the set it stands for.
const std::vector<SetRow>& set_rows();
const SetRow& set_row(std::string_view key);

struct FoundSet {
  const SetRow* row = nullptr;
  std::string train;
  std::string test;
  std::string valid;   // of a text
  std::string single;  // to be split; train and test are then empty until it is
  // Shape of a classification; bytes of a text.
  std::size_t examples = 0;
  std::size_t test_examples = 0;
  std::size_t classes = 0;
  std::size_t features = 0;
  double density = 1.0;
  std::uint64_t bytes = 0;

  /// As headings name it: "Hangul (stands in for ImageNet-10K)".
  std::string heading() const;
};

struct DataFolder {
  std::vector<FoundSet> found;
  std::vector<const SetRow*>
      absent;  // sets of the paper that nothing in the folder is or stands for
};

/// Looks through the folder and the folders in it. Throws Error if it is no folder, or has none of
/// the sets.
DataFolder find_sets(const std::string& folder);

/// Fills in the shape, by reading the data (or its cache). Throws Error on data that cannot be
/// read.
void measure(FoundSet& set, int threads);

/// Splits a set that is one file into 90% to train and 10% to test, as the paper does, into two
/// files in this folder; those of an earlier call are used again. Does nothing to other sets.
void split_single(FoundSet& set, const std::string& folder);

}  // namespace cane::cli::paper
