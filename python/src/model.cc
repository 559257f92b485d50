// Model and what is done with a finished one: files, vectors, evaluation, calibration,
// quantization.
#include "cane/model.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "cane/calibrate.h"
#include "cane/export.h"
#include "cane/quantize.h"
#include "evaluation.h"
#include "options.h"

namespace cane::python {
namespace {

nb::dict origin_of(const Model& model) {
  const Origin& origin = model.origin();
  nb::dict result;
  result["date"] = origin.date;
  result["data"] = origin.data;
  result["checksum"] = origin.checksum;
  result["note"] = origin.note;
  return result;
}

nb::bytes bytes_of(const Model& model) {
  std::string bytes;
  {
    const nb::gil_scoped_release unlocked;
    bytes = model.to_bytes();
  }
  return nb::bytes(bytes.data(), bytes.size());
}

Model model_of(const nb::bytes& bytes) {
  const std::string_view view(bytes.c_str(), bytes.size());
  const nb::gil_scoped_release unlocked;
  return Model::from_bytes(view);
}

nb::tuple vectors_of(const Model& model) {
  ClassVectors vectors;
  {
    const nb::gil_scoped_release unlocked;
    vectors = class_vectors(model);
  }
  return nb::make_tuple(array_of(std::move(vectors.weights), vectors.classes, vectors.size),
                        array_of(std::move(vectors.biases), vectors.classes));
}

nb::object counts_of(const Model& model) {
  std::vector<std::uint64_t> counts = model.class_counts();
  const std::size_t size = counts.size();
  return array_of(std::move(counts), size);
}

nb::dict evaluate_model(const Model& model, const Dataset& data, const nb::dict& given) {
  const auto options = read_options<EvaluateOptions>(given);
  Evaluation evaluation;
  {
    const nb::gil_scoped_release unlocked;
    evaluation = cane::evaluate(model, data, options);
  }
  return write_evaluation(evaluation);
}

nb::dict calibrate_model(const Model& model, const Dataset& data, const nb::dict& given) {
  const auto options = read_options<CalibrateOptions>(given);
  const CalibrateResult calibrated = [&] {
    const nb::gil_scoped_release unlocked;
    return cane::calibrate(model, data, options);
  }();
  nb::list groups;
  for (const GroupTemperature& group : calibrated.groups) {
    nb::dict row;
    row["temperature"] = group.temperature;
    row["examples"] = group.examples;
    row["is_own"] = group.is_own;
    groups.append(row);
  }
  nb::dict result;
  result["model"] = calibrated.model;
  result["groups"] = groups;
  result["examples"] = calibrated.examples;
  result["error_before"] = calibrated.error_before;
  result["error_after"] = calibrated.error_after;
  return result;
}

nb::dict quantize_model(const Model& model, const nb::dict& given) {
  const auto options = read_options<QuantizeOptions>(given);
  const QuantizeResult quantized = [&] {
    const nb::gil_scoped_release unlocked;
    return cane::quantize(model, options);
  }();
  nb::dict result;
  result["model"] = quantized.model;
  result["zeros"] = quantized.zeros;
  return result;
}

}  // namespace

void bind_model(nb::module_& module) {
  using Unlocked = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<Model>(module, "Model", "A trained model; it never changes, and copies share it.")
      .def_static("load", &Model::load, nb::arg("path"), Unlocked())
      .def("save", &Model::save, nb::arg("path"), Unlocked())
      .def("to_bytes", &bytes_of)
      .def_static("from_bytes", &model_of, nb::arg("bytes"))
      .def_prop_ro("num_classes", &Model::classes)
      .def_prop_ro("dimension", &Model::dimension)
      .def_prop_ro("labels", &Model::labels)
      .def_prop_ro("config", [](const Model& model) { return write_options(model.config()); })
      .def_prop_ro("has_probabilities", &Model::has_probabilities)
      .def_prop_ro("is_quantized", &Model::is_quantized)
      .def_prop_ro("takes_text", &Model::takes_text)
      .def_prop_ro("weight_bytes", &Model::weight_bytes)
      .def_prop_ro("class_counts", &counts_of)
      .def_prop_ro("epochs_trained", &Model::epochs_trained)
      .def_prop_ro("origin", &origin_of)
      .def_prop_ro("description", &Model::description)
      .def_prop_ro("summary", &Model::summary)
      .def_prop_ro("attributes", &Model::attributes)
      .def("with_attributes", &Model::with_attributes, nb::arg("attributes"))
      .def("class_vectors", &vectors_of)
      .def("export_onnx", &export_onnx, nb::arg("path"), Unlocked())
      .def("export_classes", &export_classes, nb::arg("path"), Unlocked())
      .def("export_embeddings", &export_embeddings, nb::arg("path"), Unlocked());
  module.def("evaluate", &evaluate_model, nb::arg("model"), nb::arg("dataset"), nb::arg("options"));
  module.def("calibrate", &calibrate_model, nb::arg("model"), nb::arg("dataset"),
             nb::arg("options"));
  module.def("quantize", &quantize_model, nb::arg("model"), nb::arg("options"));
}

}  // namespace cane::python
