// The examples of a learner: the data that the device keeps, or the two buffers of streamed
// batches, and the batch of a step.
#pragma once

#include <algorithm>
#include <vector>

#include "device/parts/step_context.h"
#include "device/plain/gather.h"

namespace cane::device {

inline constexpr std::uint32_t kBuffers = 2;

/// Rows in the memory of the device.
template <typename Backend>
class RowStore {
 public:
  RowStore() = default;
  RowStore(Backend& backend, const LearnerSpec& spec, std::uint64_t examples, std::uint64_t values,
           bool has_numbers)
      : dense_(backend, spec.is_sparse ? 0 : examples * spec.dimension),
        offsets_(backend, spec.is_sparse ? examples + 1 : 0),
        indices_(backend, spec.is_sparse ? values : 0),
        values_(backend, spec.is_sparse ? values : 0),
        labels_(backend, examples),
        weights_(backend, examples),
        numbers_(backend, has_numbers ? examples : 0) {}

  SourceRows rows(const LearnerSpec& spec) const {
    SourceRows rows = {spec.dimension};
    if (spec.is_sparse) {
      rows.offsets = offsets_.data();
      rows.indices = indices_.data();
      rows.values = values_.data();
    } else {
      rows.dense = dense_.data();
    }
    rows.labels = labels_.data();
    rows.weights = weights_.data();
    rows.numbers = numbers_.size() > 0 ? numbers_.data() : nullptr;
    return rows;
  }

  /// Copies all examples, with put(to, from, count) for each array.
  template <typename Put>
  void fill(const LearnerSpec& spec, const HostRows& from, const std::uint32_t* numbers,
            std::uint64_t examples, const Put& put) const {
    if (spec.is_sparse) {
      const std::uint64_t values = from.offsets[examples];
      put(offsets_.data(), from.offsets, examples + 1);
      put(indices_.data(), from.indices, values);
      put(values_.data(), from.values, values);
    } else {
      put(dense_.data(), from.dense, examples * spec.dimension);
    }
    put(labels_.data(), from.labels, examples);
    put(weights_.data(), from.weights, examples);
    if (numbers != nullptr) put(numbers_.data(), numbers, examples);
  }

 private:
  Array<float> dense_;
  Array<std::uint64_t> offsets_;
  Array<std::uint32_t> indices_;
  Array<float> values_;
  Array<std::uint32_t> labels_;
  Array<float> weights_;
  Array<std::uint32_t> numbers_;
};

/// Memory of the host that the caller fills with a streamed batch.
template <typename Backend>
class SharedBuffer {
 public:
  SharedBuffer() = default;
  SharedBuffer(Backend& backend, const LearnerSpec& spec) {
    const std::uint64_t batch = spec.batch;
    if (spec.is_sparse) {
      add(backend, buffer_.offsets, batch + 1);
      add(backend, buffer_.indices, spec.batch_values);
      add(backend, buffer_.values, spec.batch_values);
    } else {
      add(backend, buffer_.dense, batch * spec.dimension);
    }
    add(backend, buffer_.labels, batch);
    add(backend, buffer_.weights, batch);
    add(backend, buffer_.numbers, batch);
  }
  SharedBuffer(SharedBuffer&& other) noexcept { *this = std::move(other); }
  SharedBuffer& operator=(SharedBuffer&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~SharedBuffer() {
    for (void* memory : memory_) Backend::release_shared(memory);
  }

  const BatchBuffer& buffer() const { return buffer_; }
  HostRows rows() const {
    return {buffer_.dense,  buffer_.offsets, buffer_.indices,
            buffer_.values, buffer_.labels,  buffer_.weights};
  }

 private:
  template <typename T>
  void add(Backend& backend, T*& pointer, std::uint64_t count) {
    memory_.reserve(8);
    pointer = static_cast<T*>(backend.allocate_shared(count * sizeof(T)));
    memory_.push_back(pointer);
  }

  BatchBuffer buffer_;
  std::vector<void*> memory_;
};

/// The batch of a step.
template <typename Backend>
class BatchStore {
 public:
  BatchStore() = default;
  /// `is_dense`: rows are written out.
  BatchStore(Backend& backend, const LearnerSpec& spec, bool is_dense)
      : width_(spec.dimension),
        pitch_(pitch_of(std::uint64_t{spec.dimension} + 1)),
        labels_(backend, spec.batch),
        weights_(backend, spec.batch),
        numbers_(backend, spec.batch),
        dense_(backend, is_dense ? spec.batch * pitch_ : 0),
        begins_(backend, spec.is_sparse ? spec.batch : 0),
        ends_(backend, spec.is_sparse ? spec.batch : 0) {}

  BatchView view(const StepState* step, std::uint64_t seed) const {
    return {step, labels_.data(), weights_.data(), numbers_.data(), seed};
  }

  /// Queues the gathering; `examples` are numbers in kept data, null: the source is the batch.
  Rows gather(const StepContext<Backend>& step, const SourceRows& source,
              const std::uint32_t* examples) const {
    const bool is_dense = dense_.size() > 0;
    const BatchArrays arrays = {
        labels_.data(), weights_.data(), numbers_.data(), is_dense ? dense_.data() : nullptr,
        pitch_,         begins_.data(),  ends_.data()};
    step.backend.template launch<Spread::kWarp>(
        step.places, GatherExample{step.batch.step, source, examples, arrays});
    if (is_dense) return {width_, dense_.data(), pitch_};
    return {width_, nullptr, 0, begins_.data(), ends_.data(), source.indices, source.values};
  }

 private:
  std::uint32_t width_ = 0;
  std::uint64_t pitch_ = 0;
  Array<std::uint32_t> labels_;
  Array<float> weights_;
  Array<std::uint32_t> numbers_;
  Array<float> dense_;
  Array<std::uint64_t> begins_;
  Array<std::uint64_t> ends_;
};

}  // namespace cane::device
