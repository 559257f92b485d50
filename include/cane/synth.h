// Synthetic data with a known best accuracy: classes are Gaussians of one width whose centres form
// a hierarchy, so the best classifier is linear and can be computed.
//
// The centre of a group of m classes is offset from the centre of its parent group by a Gaussian
// vector of length 1.5 m^(1/3) (root mean square); a single class, m = 1, is offset from the centre
// of its group by 1.5. Lengths do not depend on the dimension, so the same noise is roughly equally
// hard in any dimension and for any number of classes. Labels are 0 .. classes-1 and reveal neither
// group nor frequency.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cane {

struct SynthOptions {
  std::uint32_t classes = 1000;
  std::uint64_t examples = 50000;
  std::uint64_t test_examples = 10000;
  std::uint32_t dimension = 64;
  /// Children of each group of classes in the hierarchy.
  std::uint32_t branching = 10;
  /// Standard deviation of an example around its class's centre, for each coordinate.
  double noise = 0.5;
  /// Class frequencies are proportional to rank^-zipf; 0: balanced.
  double zipf = 0.0;
  std::uint64_t seed = 1;
  /// npy or svm.
  bool as_text = false;
  int threads = 0;
};

struct SynthReport {
  /// Accuracy of the best possible classifier (which knows centres, width and frequencies) on the
  /// test examples, and the standard error of that accuracy.
  double best_accuracy = 0.0;
  double standard_error = 0.0;
  std::string train_path;
  std::string test_path;
  std::string report_path;
};

inline constexpr const char* kSynthReportName = "best.json";
/// The names of all files that synthesize() writes.
std::vector<std::string> synth_file_names(const SynthOptions& options);

/// Writes training and test data and a JSON report into the folder `directory`, which is created if
/// needed: X_train.npy, y_train.npy, X_test.npy and y_test.npy, or train.svm and test.svm; and
/// best.json with all options, best_accuracy and standard_error. Test labels are drawn by class
/// frequency, and so are training labels except for one example of each class. The output is a pure
/// function of the options other than threads. Throws Error naming the invalid option.
SynthReport synthesize(const std::string& directory, const SynthOptions& options);

}  // namespace cane
