// Models made of arrays, and the arrays of a model: what cane.torch saves and loads.
#include "cane/model_parts.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "options.h"

namespace cane::python {
namespace {

Model assemble(const nb::dict& options, std::vector<std::string> labels, std::size_t dimension,
               std::vector<std::uint64_t> class_counts, std::vector<std::uint32_t> child_counts,
               std::vector<std::uint32_t> leaf_classes,
               const std::map<std::string, Matrix>& tables) {
  ModelParts parts;
  parts.config = read_options<TrainConfig>(options);
  parts.labels = std::move(labels);
  parts.dimension = dimension;
  parts.class_counts = std::move(class_counts);
  parts.tree = {std::move(child_counts), std::move(leaf_classes)};
  for (const auto& [name, table] : tables) {
    parts.tables[name] = {table.data(), table.shape(0), table.shape(1)};
  }
  const nb::gil_scoped_release unlocked;
  return assemble_model(parts);
}

nb::dict tables(const Model& model) {
  std::map<std::string, ModelTable> all;
  {
    const nb::gil_scoped_release unlocked;
    all = tables_of(model);
  }
  nb::dict result;
  for (auto& [name, table] : all) {
    result[name.c_str()] = array_of(std::move(table.values), table.rows, table.columns);
  }
  return result;
}

nb::tuple tree(const Model& model) {
  const TreeParts parts = tree_of(model);
  return nb::make_tuple(parts.child_counts, parts.leaf_classes);
}

}  // namespace

void bind_model_parts(nb::module_& module) {
  module.def("assemble_model", &assemble, nb::arg("options"), nb::arg("labels"),
             nb::arg("dimension"), nb::arg("class_counts"), nb::arg("child_counts"),
             nb::arg("leaf_classes"), nb::arg("tables"));
  module.def("model_tables", &tables, nb::arg("model"));
  module.def("model_tree", &tree, nb::arg("model"));
}

}  // namespace cane::python
