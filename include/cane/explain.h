// Why a model answers as it does: what each feature of an example adds to the score of the first
// answer and of the second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cane/data_options.h"
#include "cane/dataset.h"
#include "cane/model.h"
#include "cane/predict.h"

namespace cane {

struct Contribution {
  /// The word, the text of the n-gram (ends of a word: '<' and '>') or the index; several texts
  /// with " | " between them where they share a hashed feature. "(bias)" is what the answers have
  /// whatever the features are, "(prior)" what the prior of `select hsm` adds.
  std::string feature;
  float value = 0.0F;   // of the feature in the example, as the model sees it
  float first = 0.0F;   // what it adds to the score of the first answer
  float second = 0.0F;  // and of the second

  /// Above 0: it speaks for the first answer and against the second.
  float difference() const { return first - second; }
};

struct Explanation {
  std::uint32_t first_class = 0;
  std::uint32_t second_class = 0;
  float first_score = 0.0F;  // the sum of what the contributions add
  float second_score = 0.0F;
  /// The largest difference, whatever its sign, first.
  std::vector<Contribution> contributions;
};

/// Const and thread-safe.
class Explainer {
 public:
  /// Throws Error where the scores of the model are no sums over the features: online trees, the
  /// hierarchical softmax, `encoder mlp`.
  explicit Explainer(Model model);
  ~Explainer();

  /// Explains a text in the form of one line of a data file: see Predictor::predict.
  Explanation explain(std::string_view text, Format format = Format::kAuto) const;

  /// Explains a row of features, whose indices must increase and lie below the model's dimension.
  Explanation explain(std::span<const Feature> features) const;

  /// Explains the examples of a file ("-": standard input), with or without labels, in their order,
  /// as long as `each` returns true. Returns the warnings to show to the user.
  ReadReport explain_file(
      const std::string& path, const DataOptions& options,
      const std::function<bool(std::size_t example, const Explanation&)>& each) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

}  // namespace cane
