#include "core/simd/quantized_kernels.h"

#include <algorithm>
#include <cassert>

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/quantized_kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "core/simd/panel-inl.h"
#include "core/simd/row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

// Calls `body` with the block as its concrete source type.
template <typename Body>
HWY_INLINE void with_source(const QuantizedWeights& from, const Body& body) {
  if (from.type == QuantizedType::kFloat16) {
    body(BlockSource<Half, ScaledBy::kNothing>{static_cast<const Half*>(from.weights), from.biases,
                                               nullptr});
    return;
  }
  const auto* weights = static_cast<const std::int8_t*>(from.weights);
  if (from.scales_features) {
    body(BlockSource<std::int8_t, ScaledBy::kFeature>{weights, from.biases, from.scales});
  } else {
    body(BlockSource<std::int8_t, ScaledBy::kColumn>{weights, from.biases, from.scales});
  }
}

// From this many dense examples on, a panel is widened once for all of them instead of per pair.
constexpr std::size_t kWidenFrom = 8;
constexpr std::size_t kMaxWidened = 128;  // features of a panel on the stack

// Bit-identical to widening on the fly: scales are applied at the same points.
template <class Panel, typename Weight, ScaledBy kScaledBy>
HWY_INLINE void score_widened(const BlockSource<Weight, kScaledBy>& source, BlockShape shape,
                              std::uint32_t column, std::span<const ScoreTask> tasks) {
  alignas(64) float wide[kMaxWidened * Panel::kWidth];
  for (std::size_t i = 0; i < shape.dimension; ++i) {
    const Weight* row = source.weights + i * shape.stride;
    for (std::size_t c = 0; c < Panel::kWidth; c += Panel::kLanes) {
      hn::Store(load_weights(typename Panel::Tag(), row + c), typename Panel::Tag(),
                wide + i * Panel::kWidth + c);
    }
  }
  const BlockSource<float, kScaledBy> widened = {wide, source.biases, source.scales};
  Panel::score_panel(widened, {shape.dimension, Panel::kWidth}, column, tasks);
}

void score_quantized_block_on_target(const QuantizedWeights& block, BlockShape shape,
                                     std::span<const ScoreTask> tasks) {
  with_source(block, [&](const auto& source) HWY_ATTR {
    const bool widens = shape.dimension <= kMaxWidened && begins_dense(tasks, kWidenFrom);
    for_each_panel(shape.stride, [&](auto panel, std::uint32_t column) HWY_ATTR {
      if (widens) {
        score_widened<decltype(panel)>(source.from(column), shape, column, tasks);
      } else {
        panel.score(source, shape, column, tasks);
      }
    });
  });
}

template <typename Weight>
HWY_INLINE void score_rows_of(const Weight* table, const QuantizedWeights& stored,
                              std::size_t pitch, FeatureId dimension, const RowView& row,
                              std::span<const ClassId> classes, float* scores) {
  // A sparse example keeps enough loads in flight without prefetching.
  constexpr std::size_t kAhead = 2 * kDotGroup;
  const bool prefetches = row.indices == nullptr;
  const auto finish = [&](ClassId label, float total) HWY_ATTR {
    const float scale = stored.type == QuantizedType::kInt8 ? stored.scales[label] : 1.0F;
    return total * scale + stored.biases[label];
  };
  std::size_t i = 0;
  for (; i + kDotGroup <= classes.size(); i += kDotGroup) {
    const Weight* weights[kDotGroup];
    for (std::size_t r = 0; r < kDotGroup; ++r) {
      weights[r] = table + classes[i + r] * pitch;
      const std::size_t next = i + r + kAhead;
      if (prefetches && next < classes.size()) {
        prefetch_row(table + classes[next] * pitch, dimension);
      }
    }
    float totals[kDotGroup];
    row_dots<kDotGroup>(row, weights, totals);
    for (std::size_t r = 0; r < kDotGroup; ++r) {
      scores[i + r] = finish(classes[i + r], totals[r]);
    }
  }
  for (; i < classes.size(); ++i) {
    const Weight* const weights[1] = {table + classes[i] * pitch};
    float total[1];
    row_dots<1>(row, weights, total);
    scores[i] = finish(classes[i], total[0]);
  }
}

void score_quantized_rows_on_target(const QuantizedWeights& table, std::size_t pitch,
                                    FeatureId dimension, const RowView& row,
                                    std::span<const ClassId> classes, float* scores) {
  if (table.type == QuantizedType::kInt8) {
    score_rows_of(static_cast<const std::int8_t*>(table.weights), table, pitch, dimension, row,
                  classes, scores);
  } else {
    score_rows_of(static_cast<const Half*>(table.weights), table, pitch, dimension, row, classes,
                  scores);
  }
}

// Decodes a single row; its columns are features, so it is vectorised over features.
template <class Source>
HWY_INLINE void decode_row(const Source& source, FeatureId dimension, float* floats) {
  const float scale = Source::kScalesColumns ? source.scales[0] : 1.0F;
  std::size_t i = 0;
  for (; i + kWideLanes <= dimension; i += kWideLanes) {
    const Wide wide = load_weights(WideTag(), source.weights + i);
    hn::StoreU(hn::Mul(wide, hn::Set(WideTag(), scale)), WideTag(), floats + i);
  }
  for (; i < dimension; ++i) {
    floats[i] = scale * hn::GetLane(load_weights(SingleTag(), source.weights + i));
  }
  floats[dimension] = source.biases[0];
}

template <class Source>
HWY_INLINE void decode_rows(const Source& source, BlockShape shape, float* floats) {
  const std::size_t stride = shape.stride;
  const auto scale_of = [&](std::size_t column) HWY_ATTR {
    if constexpr (Source::kScalesColumns) return hn::LoadU(QuadTag(), source.scales + column);
    return hn::Set(QuadTag(), 1.0F);
  };
  for (std::size_t i = 0; i < shape.dimension; ++i) {
    const Quad of_feature = hn::Set(QuadTag(), source.value(i, 1.0F));
    for (std::size_t c = 0; c < stride; c += kQuadLanes) {
      const Quad scale = hn::Mul(of_feature, scale_of(c));
      const Quad wide = load_weights(QuadTag(), source.weights + i * stride + c);
      hn::StoreU(hn::Mul(wide, scale), QuadTag(), floats + i * stride + c);
    }
  }
  std::copy_n(source.biases, stride, floats + shape.dimension * stride);
}

void decode_block_on_target(const QuantizedWeights& block, BlockShape shape, float* floats) {
  with_source(block, [&](const auto& source) HWY_ATTR {
    if (shape.stride == 1) {
      decode_row(source, shape.dimension, floats);
    } else {
      decode_rows(source, shape, floats);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(score_quantized_block_on_target);
HWY_EXPORT(score_quantized_rows_on_target);
HWY_EXPORT(decode_block_on_target);

void score_block(const QuantizedWeights& block, BlockShape shape,
                 std::span<const ScoreTask> tasks) {
  assert(shape.stride % 4 == 0);
  HWY_DYNAMIC_DISPATCH(score_quantized_block_on_target)(block, shape, tasks);
}

void score_rows(const QuantizedWeights& table, std::size_t pitch, FeatureId dimension,
                const RowView& row, std::span<const ClassId> classes, float* scores) {
  HWY_DYNAMIC_DISPATCH(score_quantized_rows_on_target)
  (table, pitch, dimension, row, classes, scores);
}

void decode_block(const QuantizedWeights& block, BlockShape shape, float* floats) {
  HWY_DYNAMIC_DISPATCH(decode_block_on_target)(block, shape, floats);
}

}  // namespace cane
#endif
