// Evaluates a model on a dataset (the struct Evaluation of the public API).
#pragma once

#include <cstdint>
#include <span>

#include "cane/predict.h"
#include "core/parallel/run_context.h"
#include "data/rows/dataset_view.h"
#include "predict/batch_predictor.h"
#include "predict/measures.h"

namespace cane {

struct SearchWidths {
  std::uint32_t beam;        // beam width of the search
  std::uint32_t candidates;  // at most `beam`; coverage is measured on these
  bool covers_all;           // every class is a candidate, whatever the search keeps
};

/// Accuracy is that of the search with this beam. A k above the beam runs a separate, wider search,
/// which is neither timed nor counted. Examples of unknown class are errors. `class_counts` holds
/// the number of training examples of each class. Ranks that share the data all
/// call it, and all get the evaluation of the whole.
Evaluation evaluate(const BatchPredictor& predictor, const DatasetView& data,
                    std::span<const std::uint64_t> class_counts, const SearchWidths& widths,
                    const EvaluateOptions& options, const RunContext& context);

/// All measures that follow from the outcomes, for every way to evaluate: what the search took, and
/// the error of estimates, is left to the caller. Top k is that of the wide search for k above
/// `beam`. With Probability::kNone the outcomes have no probabilities.
Evaluation measure(std::span<const Outcome> outcomes, std::span<const std::uint64_t> class_counts,
                   std::uint32_t beam, const EvaluateOptions& options);

}  // namespace cane
