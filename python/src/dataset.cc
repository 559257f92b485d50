// Dataset: files and memory.
#include "cane/dataset.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "cane/model.h"
#include "options.h"

namespace cane::python {
namespace {

template <typename Source>
Dataset load(const Source& source, const nb::dict& given, const nb::object& through) {
  const auto options = read_options<DataOptions>(given);
  if (through.is_none()) {
    const nb::gil_scoped_release unlocked;
    return Dataset::load(source, options);
  }
  if (nb::isinstance<Model>(through)) {
    const Model model = nb::cast<Model>(through);
    const nb::gil_scoped_release unlocked;
    return Dataset::load(source, model, options);
  }
  const Dataset training = nb::cast<Dataset>(through);
  const nb::gil_scoped_release unlocked;
  return Dataset::load(source, training, options);
}

Dataset from_dense(const Matrix& values, const std::optional<Numbers>& classes,
                   const std::vector<std::string>& labels, const std::optional<Floats>& weights,
                   const nb::dict& options, const nb::object& through, bool mapped) {
  Examples examples;
  examples.features = DenseRows{values.data(), values.shape(0), values.shape(1), mapped};
  std::vector<nb::object> kept = {nb::cast(values)};
  GivenLabels{classes, labels, weights}.add_to(examples, kept);
  examples.owner = keep_alive(std::move(kept));
  return load(examples, options, through);
}

Dataset from_sparse(const AnyNumbers& indptr, const AnyNumbers& indices, const Floats& values,
                    std::size_t columns, const std::optional<Numbers>& classes,
                    const std::vector<std::string>& labels, const std::optional<Floats>& weights,
                    const nb::dict& options, const nb::object& through) {
  Examples examples;
  examples.features = sparse_rows(indptr, indices, values, columns);
  std::vector<nb::object> kept = {nb::cast(indptr), nb::cast(indices), nb::cast(values)};
  GivenLabels{classes, labels, weights}.add_to(examples, kept);
  examples.owner = keep_alive(std::move(kept));
  return load(examples, options, through);
}

Dataset from_texts(const nb::object& texts, const std::optional<Numbers>& classes,
                   const std::vector<std::string>& labels, const std::optional<Floats>& weights,
                   const nb::dict& options, const nb::object& through) {
  const PythonTexts given(texts);
  Examples examples;
  examples.features = Texts{given.views};
  std::vector<nb::object> kept;
  GivenLabels{classes, labels, weights}.add_to(examples, kept);
  examples.owner = keep_alive(std::move(kept));
  return load(examples, options, through);
}

nb::dict report_of(const Dataset& data) {
  const ReadReport& report = data.report();
  nb::dict result;
  result["skipped_lines"] = report.skipped_lines;
  result["first_skipped"] = report.first_skipped;
  result["unseen_labels"] = report.unseen_labels;
  result["unseen_label_names"] = report.unseen_label_names;
  result["ignored_features"] = report.ignored_features;
  result["empty_examples"] = report.empty_examples;
  result["warnings"] = report.warnings;
  result["notes"] = report.notes;
  result["from_cache"] = report.from_cache;
  result["cache_problem"] = report.cache_problem;
  return result;
}

nb::object classes_of(const Dataset& data) {
  const auto ids = data.class_ids();
  std::vector<std::uint32_t> copy(ids.begin(), ids.end());
  const std::size_t size = copy.size();
  return array_of(std::move(copy), size);
}

}  // namespace

void bind_dataset(nb::module_& module) {
  nb::class_<Dataset>(module, "Dataset", "Examples with their labels; copies share the data.")
      .def_static(
          "load",
          [](const std::string& path, const nb::dict& options, const nb::object& through) {
            return load(path, options, through);
          },
          nb::arg("path"), nb::arg("options"), nb::arg("through") = nb::none(),
          "Reads a file, through the labels and features of a model or of training data if given.")
      .def_static("from_dense", &from_dense, nb::arg("values").noconvert(),
                  nb::arg("classes").noconvert().none(), nb::arg("labels"),
                  nb::arg("weights").noconvert().none(), nb::arg("options"),
                  nb::arg("through") = nb::none(), nb::arg("mapped") = false,
                  "A matrix that is used where it lies.")
      .def_static("from_sparse", &from_sparse, nb::arg("indptr").noconvert(),
                  nb::arg("indices").noconvert(), nb::arg("values").noconvert(), nb::arg("columns"),
                  nb::arg("classes").noconvert().none(), nb::arg("labels"),
                  nb::arg("weights").noconvert().none(), nb::arg("options"),
                  nb::arg("through") = nb::none(), "Compressed sparse rows.")
      .def_static("from_texts", &from_texts, nb::arg("texts"),
                  nb::arg("classes").noconvert().none(), nb::arg("labels"),
                  nb::arg("weights").noconvert().none(), nb::arg("options"),
                  nb::arg("through") = nb::none(), "A text each.")
      .def_prop_ro("size", &Dataset::size)
      .def_prop_ro("dimension", &Dataset::dimension)
      .def_prop_ro("num_classes", &Dataset::classes)
      .def_prop_ro("density", &Dataset::density)
      .def_prop_ro("labels", &Dataset::labels)
      .def_prop_ro("classes", &classes_of)
      .def_prop_ro("report", &report_of)
      .def(
          "canonical", &Dataset::canonical, nb::arg("threads") = 0,
          nb::call_guard<nb::gil_scoped_release>(),
          "The examples in an order that depends on their content alone; whole weights are copies.")
      .def(
          "subset",
          [](const Dataset& data, const Numbers& examples) {
            return data.subset(span_of(examples));
          },
          nb::arg("examples").noconvert())
      .def(
          "split",
          [](const Dataset& data, double held_out, std::uint64_t seed) {
            return cane::split(data, held_out, seed);
          },
          nb::arg("held_out"), nb::arg("seed"), nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace cane::python
