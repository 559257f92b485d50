// Predictor and Explainer.
#include "cane/predict.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>

#include "arrays.h"
#include "bindings.h"
#include "cane/explain.h"
#include "options.h"

namespace cane::python {
namespace {

/// Arrays of n x top_k that the caller gives; scores and probabilities only if they are wanted.
struct Answers {
  const ClassesOut& classes;
  const std::optional<FloatsOut>& scores;
  const std::optional<FloatsOut>& probabilities;

  PredictionArrays arrays(std::size_t rows, std::uint32_t top_k) const {
    check(classes.shape(0), classes.shape(1), rows, top_k);
    if (scores) check(scores->shape(0), scores->shape(1), rows, top_k);
    if (probabilities) check(probabilities->shape(0), probabilities->shape(1), rows, top_k);
    return {classes.data(), scores ? scores->data() : nullptr,
            probabilities ? probabilities->data() : nullptr};
  }

 private:
  static void check(std::size_t given_rows, std::size_t given_columns, std::size_t rows,
                    std::uint32_t top_k) {
    if (given_rows == rows && given_columns == top_k) return;
    throw nb::value_error(
        "the arrays for the answers must have a row for each example and top_k columns");
  }
};

class PythonPredictor {
 public:
  PythonPredictor(const Model& model, const nb::dict& options)
      : options_(read_options<PredictOptions>(options)), predictor_(model, options_) {}

  void dense(const Matrix& values, const ClassesOut& classes,
             const std::optional<FloatsOut>& scores,
             const std::optional<FloatsOut>& probabilities) const {
    Examples examples;
    examples.features = DenseRows{values.data(), values.shape(0), values.shape(1)};
    predict(examples, {classes, scores, probabilities});
  }

  void sparse(const AnyNumbers& indptr, const AnyNumbers& indices, const Floats& values,
              std::size_t columns, const ClassesOut& classes,
              const std::optional<FloatsOut>& scores,
              const std::optional<FloatsOut>& probabilities) const {
    Examples examples;
    examples.features = sparse_rows(indptr, indices, values, columns);
    predict(examples, {classes, scores, probabilities});
  }

  void texts(const nb::object& given, const ClassesOut& classes,
             const std::optional<FloatsOut>& scores,
             const std::optional<FloatsOut>& probabilities) const {
    const PythonTexts strings(given);
    Examples examples;
    examples.features = Texts{strings.views};
    predict(examples, {classes, scores, probabilities});
  }

  void dataset(const Dataset& data, const ClassesOut& classes,
               const std::optional<FloatsOut>& scores,
               const std::optional<FloatsOut>& probabilities) const {
    const Answers answers = {classes, scores, probabilities};
    const PredictionArrays into = answers.arrays(data.size(), options_.top_k);
    const nb::gil_scoped_release unlocked;
    predictor_.predict(data, into);
  }

 private:
  void predict(const Examples& examples, const Answers& answers) const {
    const PredictionArrays into = answers.arrays(examples.size(), options_.top_k);
    const nb::gil_scoped_release unlocked;
    predictor_.predict(examples, into);
  }

  PredictOptions options_;
  Predictor predictor_;
};

nb::dict write_explanation(const Explanation& explanation) {
  nb::list contributions;
  for (const Contribution& one : explanation.contributions) {
    contributions.append(nb::make_tuple(one.feature, one.value, one.first, one.second));
  }
  nb::dict result;
  result["first_class"] = explanation.first_class;
  result["second_class"] = explanation.second_class;
  result["first_score"] = explanation.first_score;
  result["second_score"] = explanation.second_score;
  result["contributions"] = contributions;
  return result;
}

nb::dict explain_dense(const Explainer& explainer, const Floats& row) {
  std::vector<Feature> features;
  for (std::uint32_t i = 0; i < row.shape(0); ++i) features.push_back({i, row.data()[i]});
  return write_explanation(explainer.explain(features));
}

nb::dict explain_sparse(const Explainer& explainer, const AnyNumbers& indices,
                        const Floats& values) {
  const auto numbers = whole_numbers<std::uint32_t>(indices, "indices");
  if (numbers.size() != values.shape(0)) throw nb::value_error("an index for each value is needed");
  std::vector<Feature> features;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    features.push_back({numbers[i], values.data()[i]});
  }
  return write_explanation(explainer.explain(features));
}

nb::dict explain_text(const Explainer& explainer, const std::string& text) {
  return write_explanation(explainer.explain(text, Format::kFastText));
}

}  // namespace

void bind_predictor(nb::module_& module) {
  const auto classes = [] { return nb::arg("classes").noconvert(); };
  const auto scores = [] { return nb::arg("scores").noconvert() = nb::none(); };
  const auto probabilities = [] { return nb::arg("probabilities").noconvert() = nb::none(); };
  nb::class_<PythonPredictor>(module, "Predictor",
                              "Best classes of examples, into given arrays. Thread-safe.")
      .def(nb::init<const Model&, const nb::dict&>(), nb::arg("model"), nb::arg("options"))
      .def("predict_dense", &PythonPredictor::dense, nb::arg("values").noconvert(), classes(),
           scores(), probabilities())
      .def("predict_sparse", &PythonPredictor::sparse, nb::arg("indptr").noconvert(),
           nb::arg("indices").noconvert(), nb::arg("values").noconvert(), nb::arg("columns"),
           classes(), scores(), probabilities())
      .def("predict_texts", &PythonPredictor::texts, nb::arg("texts"), classes(), scores(),
           probabilities())
      .def("predict_dataset", &PythonPredictor::dataset, nb::arg("dataset"), classes(), scores(),
           probabilities());
  nb::class_<Explainer>(module, "Explainer", "What each feature adds to the scores of an answer.")
      .def(nb::init<Model>(), nb::arg("model"))
      .def("explain_dense", &explain_dense, nb::arg("row").noconvert())
      .def("explain_sparse", &explain_sparse, nb::arg("indices").noconvert(),
           nb::arg("values").noconvert())
      .def("explain_text", &explain_text, nb::arg("text"));
}

}  // namespace cane::python
