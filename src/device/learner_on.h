// The learner on any backend: its memory, and the order of a step. The rows of a batch are gathered
// or encoded, the listed classes are gathered (unless all are listed) and scored by a product,
// scores become steps, a product takes these back to the encoder, another one to the classes. A
// step over C columns of D features and B examples is 4 B C D operations (6 with an encoder) and
// reads or writes 16 B C + 20 C D bytes or so.
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/kernels.h"

namespace cane::device {

inline constexpr std::uint32_t kBuffers = 2;

/// Where the arrays of a batch lie in one piece of memory. Returns its size; the rows of a streamed
/// batch are behind `head` bytes.
inline std::uint64_t lay_out(const LearnerSpec& spec, std::byte* memory, BatchBuffer& buffer,
                             std::uint64_t& head) {
  constexpr std::uint64_t kUnit = 256;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  std::uint64_t at = 0;
  const auto place = [&]<typename T>(T*& pointer, std::uint64_t count) {
    pointer = count == 0 ? nullptr : reinterpret_cast<T*>(begin + at);
    at += (count * sizeof(T) + kUnit - 1) / kUnit * kUnit;
  };
  const std::uint64_t batch = spec.batch;
  place(buffer.examples, batch);
  place(buffer.columns, spec.columns);
  place(buffer.offsets, spec.columns);
  place(buffer.entry_classes, batch);
  place(buffer.entry_begins, batch + 1);
  place(buffer.entry_examples, batch);
  place(buffer.row_begins, spec.is_sparse ? batch + 1 : 0);
  head = at;
  const bool is_streamed = spec.kept_examples == 0;
  place(buffer.dense, is_streamed && !spec.is_sparse ? batch * spec.dimension : 0);
  place(buffer.indices, is_streamed && spec.is_sparse ? spec.batch_values : 0);
  place(buffer.values, is_streamed && spec.is_sparse ? spec.batch_values : 0);
  return at;
}

/// What a learner has in the memory of its device; all of it is taken at once.
template <typename Backend>
struct LearnerMemory {
  LearnerMemory(Backend& backend, const LearnerSpec& spec)
      : class_weights(backend, spec.classes.size()),
        class_sums(backend, spec.classes.sums),
        encoder_weights(backend, spec.encoder.size()),
        encoder_sums(backend, spec.encoder.sums),
        dense(backend, spec.is_sparse ? 0 : spec.kept_examples * spec.dimension),
        offsets(backend, spec.is_sparse && spec.kept_examples > 0 ? spec.kept_examples + 1 : 0),
        indices(backend, spec.kept_values),
        values(backend, spec.kept_values),
        inputs(backend, spec.batch * spec.classes.pitch),
        scores(backend, spec.batch * score_pitch(spec)),
        rows(backend, adds_directly(spec) ? 0 : most_columns(spec) * spec.classes.pitch),
        entry_steps(backend, spec.batch),
        losses(backend, spec.batch),
        input_steps(backend, spec.has_encoder() ? inputs.size() : 0),
        squares(backend, spec.has_encoder() ? spec.batch : 0),
        batch_features(backend, spec.has_encoder() ? spec.batch_values : 0),
        batch_examples(backend, batch_features.size()),
        batch_values(backend, batch_features.size()) {
    BatchBuffer buffer;
    std::uint64_t head = 0;
    for (Array<std::byte>& own : buffers) {
      own = Array<std::byte>(backend, lay_out(spec, nullptr, buffer, head));
    }
    if (spec.has_encoder()) backend.reserve_sort(spec.batch_values);
  }

  static std::uint64_t most_columns(const LearnerSpec& spec) {
    return spec.lists_all() ? spec.classes.rows : spec.columns;
  }
  static std::uint64_t score_pitch(const LearnerSpec& spec) {
    constexpr std::uint64_t kUnit = 8;
    return (most_columns(spec) + kUnit - 1) / kUnit * kUnit;
  }
  /// Whether a product changes the weights where they lie.
  static bool adds_directly(const LearnerSpec& spec) {
    return spec.lists_all() && spec.classes.sums == 0;
  }

  Array<float> class_weights;
  Array<float> class_sums;
  Array<float> encoder_weights;
  Array<float> encoder_sums;
  // Of the data kept.
  Array<float> dense;
  Array<std::uint64_t> offsets;
  Array<std::uint32_t> indices;
  Array<float> values;
  // Of a step.
  Array<float> inputs;
  Array<float> scores;
  Array<float> rows;  // of the listed classes, then their steps
  Array<float> entry_steps;
  Array<double> losses;
  Array<float> input_steps;
  Array<float> squares;
  Array<std::uint32_t> batch_features;
  Array<std::uint32_t> batch_examples;
  Array<float> batch_values;
  Array<std::byte> buffers[kBuffers];
};

/// Bytes of the memory of a device that a learner on this backend takes.
template <typename Backend>
std::uint64_t bytes_on(const LearnerSpec& spec) {
  struct Counter {
    void* allocate(std::uint64_t count) {
      constexpr std::uint64_t kUnit = 512;
      bytes += (count + kUnit - 1) / kUnit * kUnit;
      return nullptr;
    }
    static void release(void* /*memory*/) {}
    void reserve_sort(std::uint64_t count) { bytes += Backend::sort_bytes(count); }
    std::uint64_t bytes = Backend::kOwnBytes;
  };
  Counter counter;
  LearnerMemory<Counter>(counter, spec);
  return counter.bytes;
}

template <typename Backend>
class LearnerOn final : public Learner {
 public:
  /// `arguments` make the backend.
  template <typename... Arguments>
  explicit LearnerOn(const LearnerSpec& spec, Arguments&&... arguments)
      : spec_(spec), backend_(std::forward<Arguments>(arguments)...), memory_(backend_, spec) {
    for (std::uint32_t i = 0; i < kBuffers; ++i) {
      BatchBuffer unused;
      shared_[i] = Array<std::byte, true>(backend_, lay_out(spec, nullptr, unused, head_));
      lay_out(spec, shared_[i].data(), on_host_[i], head_);
      lay_out(spec, memory_.buffers[i].data(), on_device_[i], head_);
    }
    backend_.wait();
  }

  ~LearnerOn() override {
    // Memory of the host must not be freed while it is copied; earlier errors were reported.
    try {
      backend_.wait();
    } catch (const std::runtime_error&) {
    }
  }

  void upload(Table table, std::span<const float> weights, std::span<const float> sums) override {
    const auto [own_weights, own_sums] = arrays_of(table, weights.size(), sums.size());
    backend_.copy(own_weights, weights.data(), weights.size_bytes(), Copy::kToDevice);
    backend_.copy(own_sums, sums.data(), sums.size_bytes(), Copy::kToDevice);
  }
  void download(Table table, std::span<float> weights, std::span<float> sums) override {
    const auto [own_weights, own_sums] = arrays_of(table, weights.size(), sums.size());
    backend_.copy(weights.data(), own_weights, weights.size_bytes(), Copy::kToHost);
    backend_.copy(sums.data(), own_sums, sums.size_bytes(), Copy::kToHost);
  }

  void keep(std::uint64_t first, std::uint64_t count, const HostRows& rows) override {
    const auto put = [&](auto* to, const auto* from, std::uint64_t numbers) {
      backend_.copy(to, from, numbers * sizeof(*from), Copy::kToDevice);
    };
    if (!spec_.is_sparse) {
      return put(memory_.dense.data() + first * spec_.dimension, rows.dense,
                 count * spec_.dimension);
    }
    const std::uint64_t begin = rows.offsets[0];
    put(memory_.offsets.data() + first, rows.offsets, count + 1);
    put(memory_.indices.data() + begin, rows.indices, rows.offsets[count] - begin);
    put(memory_.values.data() + begin, rows.values, rows.offsets[count] - begin);
  }

  BatchBuffer next_buffer() override {
    backend_.wait_buffer(next_);
    return on_host_[next_];
  }

  void step(const StepOptions& options) override {
    check(options);
    send(options.examples);
    const BatchBuffer& batch = on_device_[next_];
    gather(batch, options);
    score(batch, options);
    if (spec_.has_encoder()) learn_encoder(batch, options);
    learn_classes(batch, options);
    backend_.buffer_used(next_);
    next_ = (next_ + 1) % kBuffers;
  }

  double take_loss() override {
    std::vector<double> losses(memory_.losses.size());
    const std::uint64_t bytes = losses.size() * sizeof(double);
    backend_.copy(losses.data(), memory_.losses.data(), bytes, Copy::kToHost);
    double sum = 0.0;
    for (double& loss : losses) sum += std::exchange(loss, 0.0);
    backend_.copy(memory_.losses.data(), losses.data(), bytes, Copy::kToDevice);
    return sum;
  }

  Backend& backend() { return backend_; }

 private:
  using Memory = LearnerMemory<Backend>;

  std::pair<float*, float*> arrays_of(Table table, std::uint64_t weights, std::uint64_t sums) {
    const bool has_classes = table == Table::kClasses;
    const TableSpec& own = has_classes ? spec_.classes : spec_.encoder;
    if (weights != own.size() || sums != own.sums) {
      throw std::runtime_error("a table of the device has another size than the one of the host");
    }
    return has_classes ? std::pair(memory_.class_weights.data(), memory_.class_sums.data())
                       : std::pair(memory_.encoder_weights.data(), memory_.encoder_sums.data());
  }

  void check(const StepOptions& options) const {
    if (options.examples == 0 || options.examples > spec_.batch ||
        options.columns > spec_.columns || options.entry_classes > options.examples) {
      throw std::runtime_error("a step has more examples or classes than its learner has room for");
    }
  }

  void send(std::uint64_t examples) {
    const BatchBuffer& from = on_host_[next_];
    const BatchBuffer& to = on_device_[next_];
    backend_.begin_buffer(next_);
    backend_.send(to.examples, from.examples, head_);
    if (to.dense != nullptr) {
      backend_.send(to.dense, from.dense, examples * spec_.dimension * sizeof(float));
    } else if (to.indices != nullptr) {
      const std::uint64_t values = from.row_begins[examples];
      backend_.send(to.indices, from.indices, values * sizeof(std::uint32_t));
      backend_.send(to.values, from.values, values * sizeof(float));
    }
    values_ = spec_.is_sparse ? from.row_begins[examples] : 0;
    backend_.end_buffer(next_);
  }

  ClassTable classes() const {
    return {memory_.class_weights.data(), memory_.class_sums.data(), spec_.classes.columns,
            spec_.classes.pitch};
  }
  EncoderTable encoder() const {
    return {memory_.encoder_weights.data(), memory_.encoder_sums.data(), spec_.dimension,
            spec_.encoder.columns, spec_.encoder.pitch};
  }
  BatchValues batch_values() const {
    return {memory_.batch_features.data(), memory_.batch_examples.data(),
            memory_.batch_values.data()};
  }
  SourceRows source(const BatchBuffer& batch) const {
    if (spec_.kept_examples > 0) {
      return {memory_.dense.data(), memory_.offsets.data(), memory_.indices.data(),
              memory_.values.data(), true};
    }
    return {batch.dense, batch.row_begins, batch.indices, batch.values, false};
  }
  std::uint64_t columns_of(const StepOptions& options) const {
    return spec_.lists_all() ? spec_.classes.rows : options.columns;
  }
  /// The rows of the columns.
  const float* rows() const {
    return spec_.lists_all() ? memory_.class_weights.data() : memory_.rows.data();
  }

  void gather(const BatchBuffer& batch, const StepOptions& options) {
    const std::uint64_t pitch = spec_.classes.pitch;
    if (spec_.has_encoder()) {
      backend_.template launch<kFewLanes>(
          options.examples, EncodeRow{source(batch), batch.examples, batch.row_begins, encoder(),
                                      batch_values(), memory_.inputs.data(), pitch});
    } else {
      backend_.template launch<kFewLanes>(
          options.examples,
          GatherRow{source(batch), batch.examples, spec_.dimension, memory_.inputs.data(), pitch});
    }
    if (spec_.lists_all()) return;
    backend_.template launch<kFewLanes>(
        options.columns, GatherColumn{batch.columns, classes(), memory_.rows.data()});
  }

  void score(const BatchBuffer& batch, const StepOptions& options) {
    const std::uint64_t pitch = spec_.classes.pitch;
    const std::uint64_t columns = columns_of(options);
    backend_.multiply({.m = options.examples,
                       .n = columns,
                       .k = pitch,
                       .a = memory_.inputs.data(),
                       .a_pitch = pitch,
                       .b = rows(),
                       .b_pitch = pitch,
                       .transposes_b = true,
                       .c = memory_.scores.data(),
                       .c_pitch = Memory::score_pitch(spec_)});
    backend_.template launch<kManyLanes>(
        options.examples,
        Differentiate{batch.examples, batch.offsets, static_cast<std::uint32_t>(columns), classes(),
                      memory_.inputs.data(), spec_.clip, memory_.scores.data(),
                      Memory::score_pitch(spec_), memory_.entry_steps.data(),
                      memory_.losses.data()});
  }

  void learn_encoder(const BatchBuffer& batch, const StepOptions& options) {
    const std::uint64_t pitch = spec_.classes.pitch;
    backend_.multiply({.m = options.examples,
                       .n = pitch,
                       .k = columns_of(options),
                       .a = memory_.scores.data(),
                       .a_pitch = Memory::score_pitch(spec_),
                       .b = rows(),
                       .b_pitch = pitch,
                       .c = memory_.input_steps.data(),
                       .c_pitch = pitch});
    backend_.template launch<kFewLanes>(
        options.examples,
        BackRow{batch.examples, memory_.entry_steps.data(), classes(), spec_.encoder.columns,
                memory_.input_steps.data(), memory_.squares.data()});
    const Sorted sorted = backend_.sort(memory_.batch_features.data(), values_, spec_.dimension);
    backend_.template launch<kFewLanes>(
        values_, UpdateFeature{encoder(), sorted, batch_values(), memory_.input_steps.data(), pitch,
                               memory_.squares.data(), options.rate * spec_.encoder.rate_scale});
  }

  void learn_classes(const BatchBuffer& batch, const StepOptions& options) {
    const float rate = options.rate * spec_.classes.rate_scale;
    const float kept = 1.0F - options.rate * spec_.l2;
    const float all_kept = std::pow(kept, static_cast<float>(options.examples));
    Product steps = {.m = columns_of(options),
                     .n = spec_.classes.pitch,
                     .k = options.examples,
                     .a = memory_.scores.data(),
                     .a_pitch = Memory::score_pitch(spec_),
                     .transposes_a = true,
                     .b = memory_.inputs.data(),
                     .b_pitch = spec_.classes.pitch,
                     .c = memory_.rows.data(),
                     .c_pitch = spec_.classes.pitch};
    if (Memory::adds_directly(spec_)) {
      steps.alpha = rate;
      steps.beta = all_kept;
      steps.c = memory_.class_weights.data();
      return backend_.multiply(steps);
    }
    backend_.multiply(steps);
    backend_.template launch<kFewLanes>(
        steps.m, UpdateColumn{batch.columns, classes(), memory_.rows.data(), all_kept, rate});
    backend_.template launch<kFewLanes>(options.entry_classes,
                                        UpdateEntries{batch, classes(), memory_.entry_steps.data(),
                                                      memory_.inputs.data(), kept, rate});
  }

  LearnerSpec spec_;
  Backend backend_;
  Memory memory_;
  std::uint64_t head_ = 0;
  Array<std::byte, true> shared_[kBuffers];
  BatchBuffer on_host_[kBuffers];
  BatchBuffer on_device_[kBuffers];
  std::uint32_t next_ = 0;
  std::uint64_t values_ = 0;  // of the rows of the batch
};

}  // namespace cane::device
