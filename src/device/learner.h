// The learner of `--device cuda`, as the program sees it: everything of a training step, on another
// device. Plain structs and one abstract class, so that it can live in a plug-in library that needs
// no symbol of this one; DevicePlugin is what that library gives. Functions throw
// std::runtime_error, whose text names what failed.
//
// The draws of an example are functions of (seed, epoch, number of the example), as on the CPU, and
// the sums of a step have a fixed order: the same batches give the same bits on the same device.
// Laws and losses are the same as on the CPU; the draws themselves are not, and small steps are
// never left out. AdaGrad adds the squares of a whole batch before it steps, so that the order of
// the examples in it does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "cane/config.h"
#include "methods/method_table.h"
#include "methods/noise_table.h"
#include "methods/selector_table.h"

namespace cane::device {

/// To be raised with every change of this file.
inline constexpr std::uint32_t kInterfaceVersion = 2;

/// The class tree as flat arrays (core/tree/class_tree.h). `nodes` is 0 if there is none.
struct TreeArrays {
  std::uint32_t nodes = 0;
  std::uint32_t depth = 0;                        // edges on the longest path
  std::uint32_t arity = 0;                        // most children of a node
  const std::uint32_t* child_counts = nullptr;    // [nodes]
  const std::uint32_t* first_children = nullptr;  // [nodes]
  const std::uint32_t* parents = nullptr;         // [nodes]
  const std::uint32_t* leaf_classes = nullptr;    // [nodes]; of inner nodes it is not read
  const std::uint32_t* leaves = nullptr;          // [classes] the leaf of each class
};

/// Tables of weights, in row-major order. Rows of classes and nodes end with their bias; in the two
/// others the last row is the bias.
enum class Table : std::uint32_t {
  kClasses,     // [classes, width + 1]; hsm: [nodes, width + 1], row n scores node n, row 0 unused
  kProjection,  // [width + 1, rank]; cane
  kProposal,    // narrow: [classes, rank + 1]; tree: [nodes, rank + 1]
  kEncoder      // [dimension + 1, encoder_dim]: embeddings of the features
};
inline constexpr std::size_t kTables = 4;

struct TableOptions {
  OptimizerKind optimizer = OptimizerKind::kSgd;
  float rate_scale = 1.0F;  // factor on the rate of a step
};

/// What to learn. Arrays need to live only until the learner is made. All options are resolved.
struct LearnerSpec {
  std::uint32_t classes = 0;
  std::uint32_t dimension = 0;    // features of a row
  bool is_sparse = false;         // rows are lists of (feature, value)
  std::uint32_t encoder_dim = 0;  // dimensions of the bag; 0: classes see the rows themselves

  Method method{};        // one that trains_on_device
  SelectorKind select{};  // where there are candidates: one that trains_on_device
  std::uint32_t candidates = 0;
  std::uint32_t beam = 0;
  std::uint32_t noises = 0;
  std::uint32_t rank = 0;
  NoiseKind noise{};
  const double* noise_masses = nullptr;  // [classes] of unigram noise (power_masses), above 0
  TreeArrays tree;                       // of the method or of the proposal, if it has one

  float l2 = 0.0F;
  float clip = 0.0F;
  TableOptions tables[kTables];
  std::uint64_t seed = 1;

  std::uint32_t batch = 0;         // most examples of a step
  std::uint64_t batch_values = 0;  // sparse: most values of all rows of a step

  // Data that the device keeps (Learner::keep_data); 0: batches are streamed.
  std::uint64_t kept_examples = 0;
  std::uint64_t kept_values = 0;  // sparse: of all rows
};

/// Number of features that the classes see.
constexpr std::uint32_t class_width(const LearnerSpec& spec) {
  return spec.encoder_dim > 0 ? spec.encoder_dim : spec.dimension;
}

struct TableShape {
  std::uint64_t rows = 0;  // 0: there is no such table
  std::uint64_t columns = 0;
  std::uint64_t state = 0;  // floats of AdaGrad: one for each weight of kClasses and kProposal, one
                            // for each row of the others; 0 with SGD
  constexpr std::uint64_t size() const { return rows * columns; }
};

constexpr TableShape shape_of(const LearnerSpec& spec, Table table) {
  const MethodRow& method = row_of(spec.method);
  const std::uint64_t width = class_width(spec);
  TableShape shape;
  switch (table) {
    case Table::kClasses:
      shape = {method.is_hierarchical ? spec.tree.nodes : spec.classes, width + 1};
      break;
    case Table::kProjection:
      if (method.has_candidates) shape = {width + 1, spec.rank};
      break;
    case Table::kProposal:
      if (method.has_candidates) {
        shape = {row_of(spec.select).proposes_by_tree ? spec.tree.nodes : spec.classes,
                 std::uint64_t{spec.rank} + 1};
      }
      break;
    case Table::kEncoder:
      if (spec.encoder_dim > 0) shape = {std::uint64_t{spec.dimension} + 1, spec.encoder_dim};
      break;
  }
  const bool has_rows_of_state = table == Table::kProjection || table == Table::kEncoder;
  if (spec.tables[static_cast<std::size_t>(table)].optimizer == OptimizerKind::kAdagrad) {
    shape.state = has_rows_of_state ? shape.rows : shape.size();
  }
  return shape;
}

/// Rows in the memory of the host: dense ones with `dimension` floats each, or sparse ones, those
/// of example e at offsets[e] .. offsets[e + 1].
struct HostRows {
  const float* dense = nullptr;
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* indices = nullptr;
  const float* values = nullptr;
  const std::uint32_t* labels = nullptr;
  const float* weights = nullptr;  // null: all 1
};

/// Memory for the rows of one streamed batch, which the caller fills: `batch` examples and
/// `batch_values` values at most. `numbers` are the examples' numbers in the data.
struct BatchBuffer {
  float* dense = nullptr;            // [batch, dimension]
  std::uint64_t* offsets = nullptr;  // [batch + 1], from 0
  std::uint32_t* indices = nullptr;
  float* values = nullptr;
  std::uint32_t* labels = nullptr;
  float* weights = nullptr;
  std::uint32_t* numbers = nullptr;
};

struct StepOptions {
  float rate = 0.0F;
  std::uint32_t epoch = 0;
};

struct LearnerStats {
  double loss = 0.0;  // weighted sum
  double weight = 0.0;
  std::uint64_t examples = 0;
  std::uint64_t covered = 0;  // examples whose label was a candidate
  std::uint64_t rows_scored = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;

  /// Weights, and the state of AdaGrad where it has any. All start as zero. Both wait for the steps
  /// queued before.
  virtual void upload(Table table, std::span<const float> values) = 0;
  virtual void download(Table table, std::span<float> values) = 0;
  virtual void upload_state(Table table, std::span<const float> values) = 0;
  virtual void download_state(Table table, std::span<float> values) = 0;

  /// Copies the whole data to the device, as many examples and values as the spec names.
  virtual void keep_data(const HostRows& rows) = 0;
  /// Queues a step on examples of the data kept; at least one, at most `batch`.
  virtual void step(std::span<const std::uint32_t> examples, const StepOptions& options) = 0;

  /// The buffer of the next streamed batch; waits until the device has read what was in it. There
  /// are two, so that one is filled while the device reads the other.
  virtual BatchBuffer next_buffer() = 0;
  /// Queues a step on the first `count` examples of that buffer.
  virtual void step_buffer(std::uint32_t count, const StepOptions& options) = 0;

  /// The sums of all steps since the last call; waits for them.
  virtual LearnerStats take_stats() = 0;
};

struct DeviceFacts {
  char name[256] = "";
  std::uint64_t memory = 0;  // bytes
  std::uint64_t free_memory = 0;
  int major = 0;  // compute capability
  int minor = 0;
};

/// What a plug-in library gives.
struct DevicePlugin {
  std::uint32_t interface_version;
  /// The number of devices; throws if the driver is missing or too old.
  int (*count)();
  DeviceFacts (*facts)(int device);
  /// Memory of the device that a learner takes.
  std::uint64_t (*needed_bytes)(const LearnerSpec& spec);
  /// Throws if the memory does not suffice, or the spec is none that a learner can take.
  std::unique_ptr<Learner> (*make_learner)(const LearnerSpec& spec, int device);
};

/// The C name and type of the function of a plug-in library that returns its DevicePlugin; the type
/// is the same for all plug-ins, since the loader does not know what they return.
inline constexpr const char* kPluginFunction = "cane_device_plugin";
using PluginFunction = const void* (*)();

}  // namespace cane::device
