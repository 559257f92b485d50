// Some examples of a text file, as text, to try ways of making features on. Whole classes are
// taken, so that a class is seen as often as in the file; only if few classes are left, and they
// are still too much, some of the examples of each. Which ones is a function of their labels and
// places alone. One pass over the beginning of the file is enough.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cane/data_options.h"
#include "cane/examples.h"
#include "data/text/text_format.h"

namespace cane {

struct SampleLimits {
  /// Most products of words and classes.
  double work = 0.0;
  /// Or, unless 0, most examples: of all classes, so that the features of many are told apart.
  std::uint64_t examples = 0;
  /// The sample is taken from so much at the beginning of the file, in whole blocks.
  std::uint64_t read_bytes = std::uint64_t{64} << 20;
};

/// How much of the data a sample is.
struct SampleCounts {
  std::uint64_t examples = 0;
  std::uint64_t classes = 0;
  double share_of_examples = 1.0;  // of all, about
  std::uint64_t all_classes = 0;   // of what was read
};

struct RecordSample {
  std::string name;     // of the file, in messages
  FormatChoice choice;  // with whole records, in the order of the file
  SampleCounts counts;
};

/// Lines that cannot be read are left out: reading the whole file tells of them. Throws Error if
/// the file cannot be read, is empty, or its format is ambiguous.
RecordSample sample_records(const std::string& path, const DataOptions& options,
                            const SampleLimits& limits);

/// The same choice among examples in memory: their numbers, in order.
struct ExampleSample {
  std::vector<std::uint32_t> examples;
  SampleCounts counts;
};
ExampleSample sample_examples(const Examples& examples, const SampleLimits& limits);

}  // namespace cane
