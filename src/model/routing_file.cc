#include "model/routing_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cane/error.h"

namespace cane {
namespace {

[[noreturn]] void fail(const SafetensorsFile& file, const std::string& what) {
  throw Error(
      fmt::format("{}: {}; the file is damaged or was made by another program: train again "
                  "or fetch it anew",
                  file.path(), what));
}

template <typename T>
std::vector<T> copy_of(const SafetensorsFile& file, const std::string& name, std::size_t size) {
  const auto values = file.values<T>(name);
  if (values.size() != size) fail(file, fmt::format("{} does not fit the tree", name));
  return {values.begin(), values.end()};
}

}  // namespace

RoutingTensors::RoutingTensors(std::string prefix, const RoutingState& state, bool with_squares)
    : prefix_(std::move(prefix)), state_(state), with_squares_(with_squares) {
  std::vector<ClassEntry> sorted;
  for (const ClassHistogram& histogram : state.histograms) {
    sorted.assign(histogram.entries().begin(), histogram.entries().end());
    std::sort(sorted.begin(), sorted.end(),
              [](const ClassEntry& a, const ClassEntry& b) { return a.label < b.label; });
    for (const ClassEntry& entry : sorted) {
      classes_.push_back(entry.label);
      counts_.push_back(entry.count);
      values_.push_back(entry.value);
      squares_.push_back(entry.square);
    }
    ends_.push_back(classes_.size());
  }
}

std::vector<TensorToWrite> RoutingTensors::wide() const {
  return {tensor_to_write<double>(prefix_ + "counts", state_.counts),
          tensor_to_write<double>(prefix_ + "seen", state_.seen),
          tensor_to_write<std::uint64_t>(prefix_ + "classes.ends", ends_),
          tensor_to_write<double>(prefix_ + "classes.counts", counts_)};
}

std::vector<TensorToWrite> RoutingTensors::narrow() const {
  std::vector<TensorToWrite> tensors = {
      tensor_to_write<std::uint32_t>(prefix_ + "left", state_.tree.left()),
      tensor_to_write<std::uint32_t>(prefix_ + "right", state_.tree.right()),
      tensor_to_write<std::uint32_t>(prefix_ + "rows", state_.tree.rows()),
      tensor_to_write<std::uint32_t>(prefix_ + "majorities", state_.majorities),
      tensor_to_write<float>(prefix_ + "margins", state_.margins),
      tensor_to_write<std::uint32_t>(prefix_ + "classes.labels", classes_),
      tensor_to_write<float>(prefix_ + "classes.values", values_)};
  if (with_squares_) {
    tensors.push_back(tensor_to_write<float>(prefix_ + "classes.squares", squares_));
  }
  return tensors;
}

RoutingState read_routing(const SafetensorsFile& file, const std::string& prefix,
                          const TrainConfig& config, std::uint32_t classes) {
  RoutingState state;
  const auto left = file.values<std::uint32_t>(prefix + "left");
  const std::size_t nodes = left.size();
  try {
    state.tree = RoutingTree({left.begin(), left.end()},
                             copy_of<std::uint32_t>(file, prefix + "right", nodes),
                             copy_of<std::uint32_t>(file, prefix + "rows", nodes));
  } catch (const Error& error) {
    fail(file, error.what());
  }
  state.resize();
  state.counts = copy_of<double>(file, prefix + "counts", nodes);
  state.seen = copy_of<double>(file, prefix + "seen", nodes);
  state.margins = copy_of<float>(file, prefix + "margins", nodes);
  state.majorities = copy_of<std::uint32_t>(file, prefix + "majorities", nodes);
  const auto ends = copy_of<std::uint64_t>(file, prefix + "classes.ends", nodes);
  const auto labels = file.values<std::uint32_t>(prefix + "classes.labels");
  const auto counts = copy_of<double>(file, prefix + "classes.counts", labels.size());
  const auto values = copy_of<float>(file, prefix + "classes.values", labels.size());
  const std::string squares_name = prefix + "classes.squares";
  std::vector<float> squares(labels.size(), 0.0F);
  if (file.has(squares_name)) squares = copy_of<float>(file, squares_name, labels.size());
  std::uint64_t place = 0;
  for (NodeId node = 0; node < nodes; ++node) {
    if (ends[node] < place || ends[node] > labels.size()) {
      fail(file, fmt::format("{}classes.ends is out of order", prefix));
    }
    ClassHistogram& histogram = state.histograms[node];
    for (const std::uint64_t begin = place; place < ends[node]; ++place) {
      if (place > begin && labels[place] <= labels[place - 1]) {
        fail(file, fmt::format("{}classes.labels is out of order", prefix));
      }
      ClassEntry& entry = histogram.at(labels[place]);
      entry.count = counts[place];
      entry.value = values[place];
      entry.square = squares[place];
    }
    if (config.method == Method::kRecallTree) histogram.rank(config.max_candidates);
  }
  if (place != labels.size()) {
    fail(file, fmt::format("{}classes.labels has more than its nodes", prefix));
  }
  if (const char* what = validation_error(state, config, classes)) fail(file, what);
  return state;
}

}  // namespace cane
