// A panel is 16, 8 or 4 neighbouring columns of a block: what a few SIMD registers hold. Compiled
// once for every instruction set, from block_kernels.cc only.
//
// The score of a panel uses roughly four accumulators, enough independent chains of additions to
// hide the latency of an addition. Feature p of an example always goes to chain p mod kChains, in
// both the paired and the single loop, so both give the same bits.

#if defined(CANE_PANEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANE_PANEL_INL_H_
#undef CANE_PANEL_INL_H_
#else
#define CANE_PANEL_INL_H_
#endif

#include <hwy/highway.h>

#include "core/simd/block_kernels.h"
#include "core/simd/load-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whether there are at least `count` tasks and the first `count` are dense.
template <typename Task>
HWY_INLINE bool begins_dense(std::span<const Task> tasks, std::size_t count) {
  if (tasks.size() < count) return false;
  for (std::size_t t = 0; t < count; ++t) {
    if (tasks[t].row.indices != nullptr) return false;
  }
  return true;
}

template <std::size_t kColumns>
struct Panel {
  static constexpr std::size_t kWidth = kColumns;
  using Tag = hn::CappedTag<float, kColumns>;
  using Vector = hn::Vec<Tag>;
  static constexpr std::size_t kLanes = hn::MaxLanes(Tag());
  static constexpr std::size_t kVectors = kColumns / kLanes;
  static constexpr std::size_t kChains = kVectors >= 4 ? 1 : 4 / kVectors;
  static constexpr std::size_t kUpdates = kVectors >= 4 ? 2 : 4;  // at once, within the registers

  struct Accumulators {
    Vector sums[kChains][kVectors];

    HWY_INLINE void clear() {
      for (auto& chain : sums) {
        for (auto& sum : chain) sum = hn::Zero(Tag());
      }
    }
    template <typename Weight>
    HWY_INLINE void add(std::size_t chain, const Weight* weights, float value) {
      const Vector x = hn::Set(Tag(), value);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[chain][v] = hn::MulAdd(x, load_weights(Tag(), weights + v * kLanes), sums[chain][v]);
      }
    }
    template <class Source>
    HWY_INLINE void finish(const Source& source, float base, float* scores) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        Vector total = sums[0][v];
        for (std::size_t chain = 1; chain < kChains; ++chain) {
          total = hn::Add(total, sums[chain][v]);
        }
        if constexpr (Source::kScalesColumns) {
          total = hn::Mul(total, hn::LoadU(Tag(), source.scales + v * kLanes));
        }
        total = hn::Add(total, hn::LoadU(Tag(), source.biases + v * kLanes));
        hn::StoreU(hn::Add(hn::Set(Tag(), base), total), Tag(), scores + v * kLanes);
      }
    }
  };

  template <class Source>
  HWY_INLINE static void score(const Source& block, BlockShape shape, std::uint32_t column,
                               std::span<const ScoreTask> tasks) {
    score_panel(block.from(column), shape, column, tasks);
  }

  // `source` begins at the panel; `column` is where its scores are written.
  template <class Source>
  HWY_INLINE static void score_panel(const Source& source, BlockShape shape, std::uint32_t column,
                                     std::span<const ScoreTask> tasks) {
    for (; begins_dense(tasks, 2); tasks = tasks.subspan(2)) {
      score_dense_pair(source, shape, column, tasks[0], tasks[1]);
    }
    for (const ScoreTask& task : tasks) score_one(source, shape, column, task);
  }

  template <class Source>
  HWY_INLINE static void score_one(const Source& source, BlockShape shape, std::uint32_t column,
                                   const ScoreTask& task) {
    const std::size_t stride = shape.stride;
    const RowView& row = task.row;
    Accumulators sums;
    sums.clear();
    const auto add = [&](std::size_t chain, std::size_t feature, float value) HWY_ATTR {
      sums.add(chain, source.weights + feature * stride, source.value(feature, value));
    };
    std::size_t p = 0;
    if (row.indices == nullptr) {
      for (; p + kChains <= row.count; p += kChains) {
        for (std::size_t chain = 0; chain < kChains; ++chain) {
          add(chain, p + chain, row.values[p + chain]);
        }
      }
      for (; p < row.count; ++p) add(p % kChains, p, row.values[p]);
    } else {
      for (; p + kChains <= row.count; p += kChains) {
        for (std::size_t chain = 0; chain < kChains; ++chain) {
          add(chain, row.indices[p + chain], row.values[p + chain]);
        }
      }
      for (; p < row.count; ++p) add(p % kChains, row.indices[p], row.values[p]);
    }
    sums.finish(source, task.base, task.scores + column);
  }

  // Two dense examples at once: each row of the block is loaded once for both.
  template <class Source>
  HWY_INLINE static void score_dense_pair(const Source& source, BlockShape shape,
                                          std::uint32_t column, const ScoreTask& first,
                                          const ScoreTask& second) {
    const std::size_t stride = shape.stride;
    Accumulators sums_first;
    Accumulators sums_second;
    sums_first.clear();
    sums_second.clear();
    const auto add = [&](std::size_t chain, std::size_t p) HWY_ATTR {
      const auto* row = source.weights + p * stride;
      sums_first.add(chain, row, source.value(p, first.row.values[p]));
      sums_second.add(chain, row, source.value(p, second.row.values[p]));
    };
    const std::size_t count = first.row.count;
    std::size_t p = 0;
    for (; p + kChains <= count; p += kChains) {
      for (std::size_t chain = 0; chain < kChains; ++chain) add(chain, p + chain);
    }
    for (; p < count; ++p) add(p % kChains, p);
    sums_first.finish(source, first.base, first.scores + column);
    sums_second.finish(source, second.base, second.scores + column);
  }

  // Calls change(offset of the panel's row in the block, value) for every feature, and the bias
  // unless it is zero: another thread may be changing it.
  template <typename Change>
  HWY_INLINE static void for_each_row(BlockShape shape, std::uint32_t column, const RowView& row,
                                      float bias, const Change& change) {
    const std::size_t stride = shape.stride;
    if (row.indices == nullptr) {
      for (std::size_t p = 0; p < row.count; ++p) change(p * stride + column, row.values[p]);
    } else {
      for (std::size_t p = 0; p < row.count; ++p) {
        change(row.indices[p] * stride + column, row.values[p]);
      }
    }
    if (bias != 0.0F) change(shape.dimension * stride + column, bias);
  }

  struct Columns {
    Vector parts[kVectors];
    HWY_INLINE Columns(const float* values, float factor) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        parts[v] = hn::Mul(hn::Set(Tag(), factor), hn::LoadU(Tag(), values + v * kLanes));
      }
    }
  };

  HWY_INLINE static void update(float* block, BlockShape shape, std::uint32_t column, float rate,
                                std::span<const UpdateTask> tasks) {
    for (; begins_dense(tasks, kUpdates); tasks = tasks.subspan(kUpdates)) {
      update_dense_group(block + column, shape, column, rate, tasks.first<kUpdates>());
    }
    for (const UpdateTask& task : tasks) update_one(block, shape, column, rate, task);
  }

  HWY_INLINE static void update_one(float* block, BlockShape shape, std::uint32_t column,
                                    float rate, const UpdateTask& task) {
    const Columns steps(task.steps + column, rate);
    for_each_row(shape, column, task.row, task.bias, [&](std::size_t offset, float value) HWY_ATTR {
      const Vector x = hn::Set(Tag(), value);
      for (std::size_t v = 0; v < kVectors; ++v) {
        float* weights = block + offset + v * kLanes;
        hn::StoreU(hn::MulAdd(x, steps.parts[v], hn::LoadU(Tag(), weights)), Tag(), weights);
      }
    });
  }

  // Several dense examples, one after the other on each row of the block, which is loaded and
  // stored once.
  HWY_INLINE static void update_dense_group(float* weights, BlockShape shape, std::uint32_t column,
                                            float rate,
                                            std::span<const UpdateTask, kUpdates> tasks) {
    Vector steps[kUpdates][kVectors];
    for (std::size_t t = 0; t < kUpdates; ++t) {
      const Columns scaled(tasks[t].steps + column, rate);
      for (std::size_t v = 0; v < kVectors; ++v) steps[t][v] = scaled.parts[v];
    }
    const auto add = [&](float* row, const float(&values)[kUpdates]) HWY_ATTR {
      Vector x[kUpdates];
      for (std::size_t t = 0; t < kUpdates; ++t) x[t] = hn::Set(Tag(), values[t]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        Vector sum = hn::LoadU(Tag(), row + v * kLanes);
        for (std::size_t t = 0; t < kUpdates; ++t) sum = hn::MulAdd(x[t], steps[t][v], sum);
        hn::StoreU(sum, Tag(), row + v * kLanes);
      }
    };
    float values[kUpdates];
    for (std::size_t p = 0; p < tasks[0].row.count; ++p) {
      for (std::size_t t = 0; t < kUpdates; ++t) values[t] = tasks[t].row.values[p];
      add(weights + p * shape.stride, values);
    }
    for (std::size_t t = 0; t < kUpdates; ++t) values[t] = tasks[t].bias;
    add(weights + std::size_t{shape.dimension} * shape.stride, values);
  }

  HWY_INLINE static void scale(float* block, BlockShape shape, std::uint32_t column,
                               const RowView& row, const float* factors) {
    const Columns factor(factors + column, 1.0F);
    for_each_row(shape, column, row, 1.0F, [&](std::size_t offset, float) HWY_ATTR {
      for (std::size_t v = 0; v < kVectors; ++v) {
        float* weights = block + offset + v * kLanes;
        hn::StoreU(hn::Mul(hn::LoadU(Tag(), weights), factor.parts[v]), Tag(), weights);
      }
    });
  }
};

// Covers `stride` columns, a multiple of 4, with the widest panels that fit.
template <typename Body>
HWY_INLINE void for_each_panel(std::uint32_t stride, const Body& body) {
  std::uint32_t column = 0;
  for (; column + 16 <= stride; column += 16) body(Panel<16>(), column);
  for (; column + 8 <= stride; column += 8) body(Panel<8>(), column);
  for (; column < stride; column += 4) body(Panel<4>(), column);
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#endif
