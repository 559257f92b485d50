// The learner of `--device cuda`, as the program sees it: the steps of a training over the lists of
// its batches (step/batch_list.h), on another device. The host makes the lists, by the code and the
// draws of the processor; the learner has the weights. Plain structs and one abstract class, so
// that it can live in a plug-in library that needs no symbol of this one; DevicePlugin is what that
// library gives. Functions throw std::runtime_error, whose text names what failed.
//
// Sums have a fixed order: the same batches give the same bits on the same device, and the weights
// of the processor up to rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace cane::device {

/// To be raised with every change of this file.
inline constexpr std::uint32_t kInterfaceVersion = 3;

enum class Table : std::uint32_t {
  kClasses,  // a row for each class: its weights, the bias last
  kEncoder   // an embedding for each feature; the last row is the bias, which does not learn
};

/// A table of weights, laid out as on the host.
struct TableSpec {
  std::uint64_t rows = 0;     // 0: there is no such table
  std::uint32_t columns = 0;  // of a row that count
  std::uint64_t pitch = 0;    // floats from one row to the next
  /// Sums of AdaGrad: one for each weight of a class, one for each row of an encoder; SGD: 0.
  std::uint64_t sums = 0;
  float rate_scale = 1.0F;  // factor on the rate of a step

  constexpr std::uint64_t size() const { return rows * pitch; }
};

/// What to learn.
struct LearnerSpec {
  TableSpec classes = {};
  TableSpec encoder = {};
  std::uint32_t dimension = 0;  // features of a row
  bool is_sparse = false;       // rows are lists of (feature, value), as an encoder needs them
  std::uint32_t columns = 0;    // most classes that a batch lists; 0: it lists all, as they are
  float l2 = 0.0F;
  float clip = 0.0F;

  std::uint32_t batch = 0;         // most examples of a step
  std::uint64_t batch_values = 0;  // sparse: most values of all rows of a step

  // Data that the device keeps (Learner::keep); 0: the rows of each batch are streamed.
  std::uint64_t kept_examples = 0;
  std::uint64_t kept_values = 0;  // sparse: of all rows

  bool has_encoder() const { return encoder.rows > 0; }
  bool lists_all() const { return columns == 0; }
};

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

/// An example of a batch, and what the list says of it.
struct ListedExample {
  std::uint32_t number = 0;  // in the data kept
  float weight = 1.0F;
  std::uint32_t label = 0;         // its class
  std::uint32_t label_column = 0;  // kNone: in none, it is an entry
  float label_offset = 0.0F;       // all that is added to the score of the label
  std::uint32_t shift_columns[2] = {kNone, kNone};
  float shifts[2] = {};  // what is added to the scores of these columns beside their offsets
};

/// Rows in the memory of the host: dense ones with `dimension` floats each, or sparse ones, those
/// of row i at offsets[i] .. offsets[i + 1].
struct HostRows {
  const float* dense = nullptr;
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* indices = nullptr;
  const float* values = nullptr;
};

/// Memory for a batch, which the caller fills.
struct BatchBuffer {
  ListedExample* examples = nullptr;  // [batch]
  std::uint32_t* columns = nullptr;   // [columns] the listed classes
  float* offsets = nullptr;           // [columns] what is added to their scores
  // The classes of entries, ascending, and the examples of each: those of class i are
  // entry_examples[entry_begins[i]] .. entry_examples[entry_begins[i + 1]].
  std::uint32_t* entry_classes = nullptr;   // [batch]
  std::uint32_t* entry_begins = nullptr;    // [batch + 1]
  std::uint32_t* entry_examples = nullptr;  // [batch]
  std::uint64_t* row_begins = nullptr;      // [batch + 1] of sparse rows in the batch, from 0
  // Rows, if they are streamed.
  float* dense = nullptr;  // [batch, dimension]
  std::uint32_t* indices = nullptr;
  float* values = nullptr;
};

struct StepOptions {
  float rate = 0.0F;
  std::uint32_t examples = 0;
  std::uint32_t columns = 0;        // listed; not read if all classes are
  std::uint32_t entry_classes = 0;  // distinct ones
};

class Learner {
 public:
  virtual ~Learner() = default;

  /// Weights, and the sums of AdaGrad where there are any. All start as zero. Both wait for the
  /// steps queued before.
  virtual void upload(Table table, std::span<const float> weights, std::span<const float> sums) = 0;
  virtual void download(Table table, std::span<float> weights, std::span<float> sums) = 0;

  /// Copies rows of the data to keep, those of examples from `first` on; the offsets of sparse rows
  /// count from the first of all.
  virtual void keep(std::uint64_t first, std::uint64_t count, const HostRows& rows) = 0;

  /// The buffer of the next batch; waits until the device has read what was in it. There are two,
  /// so that one is filled while the device works on the other.
  virtual BatchBuffer next_buffer() = 0;
  /// Queues a step on that buffer.
  virtual void step(const StepOptions& options) = 0;

  /// The weighted losses of all steps since the last call; waits for them.
  virtual double take_loss() = 0;
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
  /// Throws if the memory does not suffice.
  std::unique_ptr<Learner> (*make_learner)(const LearnerSpec& spec, int device);
};

/// The C name and type of the function of a plug-in library that returns its DevicePlugin; the type
/// is the same for all plug-ins, since the loader does not know what they return.
inline constexpr const char* kPluginFunction = "cane_device_plugin";
using PluginFunction = const void* (*)();

}  // namespace cane::device
