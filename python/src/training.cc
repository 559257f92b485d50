// Training, tuning and choosing features, with progress to Python; synthetic data.
#include "cane/train.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "cane/error.h"
#include "cane/features.h"
#include "cane/synth.h"
#include "cane/tune.h"
#include "observer.h"
#include "options.h"

namespace cane::python {
namespace {

/// Ctrl-C before there is anything to keep is Python's own interruption.
void raise_if_interrupted(const Listener& listener) {
  if (!listener.was_interrupted()) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

/// Calls the library with the interpreter unlocked. What the listener's object raised counts for
/// more than what the library then threw.
template <typename Work>
auto run_unlocked(Listener& listener, const Work& work) {
  try {
    const nb::gil_scoped_release unlocked;
    return work();
  } catch (const Interrupted&) {
    listener.rethrow();
    raise_if_interrupted(listener);
    throw;
  } catch (...) {
    listener.rethrow();
    throw;
  }
}

nb::dict train_model(const Dataset& data, const nb::dict& given, const nb::object& observer,
                     const std::optional<Dataset>& validation, const std::optional<Model>& model) {
  const auto config = read_options<TrainConfig>(given);
  Listener listener(observer);
  PythonTrainObserver reports(listener);
  const Dataset* const held_out = validation ? &*validation : nullptr;
  const TrainResult trained = run_unlocked(listener, [&] {
    return model ? continue_training(*model, data, config, &reports, held_out)
                 : train(data, config, &reports, held_out);
  });
  listener.rethrow();
  nb::dict result;
  result["model"] = trained.model;
  result["epochs"] = trained.epochs;
  result["interrupted"] = trained.interrupted;
  result["stopped_early"] = trained.stopped_early;
  result["expected_bytes"] = trained.expected_bytes;
  result["signal"] = listener.was_interrupted();
  if (const auto& old = trained.old_classes; old && old->has_fallen()) {
    result["forgotten"] = nb::make_tuple(old->examples, old->before, old->after);
  }
  return result;
}

nb::dict estimate(const Dataset& data, const nb::dict& given) {
  const auto config = read_options<TrainConfig>(given);
  TrainEstimate estimate;
  {
    const nb::gil_scoped_release unlocked;
    estimate = estimate_training(data, config);
  }
  nb::dict result;
  result["program_bytes"] = estimate.program_bytes;
  result["data_bytes"] = estimate.data_bytes;
  result["names_bytes"] = estimate.names_bytes;
  result["reading_bytes"] = estimate.reading_bytes;
  result["model_bytes"] = estimate.model_bytes;
  result["optimizer_bytes"] = estimate.optimizer_bytes;
  result["start_bytes"] = estimate.start_bytes;
  result["workspace_bytes"] = estimate.workspace_bytes;
  result["copy_bytes"] = estimate.copy_bytes;
  result["pilot_bytes"] = estimate.pilot_bytes;
  result["free_bytes"] = estimate.free_bytes;
  result["total_bytes"] = estimate.total_bytes();
  result["seconds"] = estimate.seconds;
  result["pilot"] = estimate.pilot;
  return result;
}

/// Options that the search leaves as they are.
void keep_fixed(const std::vector<std::string>& names, Tunable& search) {
  const std::pair<const char*, bool*> members[] = {{"lr", &search.lr},
                                                   {"optimizer", &search.optimizer},
                                                   {"l2", &search.l2},
                                                   {"epochs", &search.epochs},
                                                   {"candidates", &search.candidates},
                                                   {"arity", &search.arity},
                                                   {"noise_power", &search.noise_power},
                                                   {"nodes", &search.nodes},
                                                   {"swap_resistance", &search.swap_resistance}};
  for (const auto& [name, is_searched] : members) {
    *is_searched = std::ranges::find(names, name) == names.end();
  }
}

nb::dict tune_options(const Dataset& data, const nb::dict& given, const nb::dict& given_tune,
                      const nb::object& observer, const std::vector<std::string>& fixed) {
  const auto config = read_options<TrainConfig>(given);
  auto options = read_options<TuneOptions>(given_tune);
  keep_fixed(fixed, options.search);
  Listener listener(observer);
  PythonTuneObserver reports(listener);
  const TuneResult tuned =
      run_unlocked(listener, [&] { return tune(data, config, options, &reports); });
  listener.rethrow();
  nb::list trials;
  for (const Trial& trial : tuned.trials) trials.append(write_trial(trial));
  nb::dict result;
  result["config"] = write_options(tuned.config);
  result["trials"] = trials;
  result["best"] = tuned.best;
  result["interrupted"] = tuned.interrupted;
  result["signal"] = listener.was_interrupted();
  return result;
}

/// Data to choose features for: {"path"}, {"texts", ...} or {"indptr", "indices", "values", ...}.
struct GivenData {
  explicit GivenData(const nb::dict& data) {
    if (data.contains("path")) {
      path = nb::cast<std::string>(data["path"]);
      return;
    }
    labels = {nb::cast<Numbers>(data["classes"]),
              nb::cast<std::vector<std::string>>(data["labels"]), std::nullopt};
    labels.add_to(examples, kept);
    if (data.contains("texts")) {
      texts.emplace(data["texts"]);
      examples.features = Texts{texts->views};
      return;
    }
    const auto indptr = nb::cast<AnyNumbers>(data["indptr"]);
    const auto indices = nb::cast<AnyNumbers>(data["indices"]);
    const auto values = nb::cast<Floats>(data["values"]);
    examples.features =
        sparse_rows(indptr, indices, values, nb::cast<std::size_t>(data["columns"]));
    kept.insert(kept.end(), {nb::cast(indptr), nb::cast(indices), nb::cast(values)});
  }

  std::optional<std::string> path;
  GivenLabels labels;
  std::optional<PythonTexts> texts;
  std::vector<nb::object> kept;
  Examples examples;
};

/// Calls work(path or examples, options, config, observer) on data that Python gives.
template <typename Work>
auto on_given_data(const nb::dict& given_data, const nb::dict& given_options, const nb::dict& given,
                   const nb::object& observer, const Work& work) {
  const GivenData data(given_data);
  const auto options = read_options<DataOptions>(given_options);
  const auto config = read_options<TrainConfig>(given);
  Listener listener(observer);
  PythonTrainObserver reports(listener);
  auto result = run_unlocked(listener, [&] {
    return data.path ? work(*data.path, options, config, &reports)
                     : work(data.examples, options, config, &reports);
  });
  listener.rethrow();
  raise_if_interrupted(listener);
  return result;
}

nb::dict choose(const nb::dict& data, const nb::dict& options, const nb::dict& config,
                const nb::object& observer) {
  return write_options(on_given_data(data, options, config, observer, [](const auto&... given) {
    return choose_features(given...);
  }));
}

nb::tuple search(const nb::dict& data, const nb::dict& options, const nb::dict& config,
                 const nb::object& observer) {
  const ChosenFeatures chosen =
      on_given_data(data, options, config, observer,
                    [](const auto&... given) { return search_features(given...); });
  return nb::make_tuple(write_options(chosen.data), name_of(chosen.encoder));
}

nb::dict synthesize_data(const std::string& folder, const nb::dict& given) {
  const auto options = read_options<SynthOptions>(given);
  SynthReport report;
  {
    const nb::gil_scoped_release unlocked;
    report = synthesize(folder, options);
  }
  nb::dict result;
  result["best_accuracy"] = report.best_accuracy;
  result["standard_error"] = report.standard_error;
  result["train_path"] = report.train_path;
  result["test_path"] = report.test_path;
  result["report_path"] = report.report_path;
  return result;
}

}  // namespace

void bind_training(nb::module_& module) {
  module.def("train", &train_model, nb::arg("dataset"), nb::arg("config"),
             nb::arg("observer") = nb::none(), nb::arg("validation") = nb::none(),
             nb::arg("model") = nb::none(),
             "Trains a model, or an existing one further. Ctrl-C ends it with the model so far.");
  module.def("estimate", &estimate, nb::arg("dataset"), nb::arg("config"));
  module.def("tune", &tune_options, nb::arg("dataset"), nb::arg("config"), nb::arg("options"),
             nb::arg("observer") = nb::none(), nb::arg("fixed") = std::vector<std::string>());
  module.def("choose_features", &choose, nb::arg("data"), nb::arg("options"), nb::arg("config"),
             nb::arg("observer") = nb::none());
  module.def("search_features", &search, nb::arg("data"), nb::arg("options"), nb::arg("config"),
             nb::arg("observer") = nb::none());
  module.def("synthesize", &synthesize_data, nb::arg("folder"), nb::arg("options"));
}

}  // namespace cane::python
