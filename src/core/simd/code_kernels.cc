#include "core/simd/code_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/simd/code_kernels.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void score_panel(const float* header, const std::int8_t* codes, std::size_t values,
                            const CodeQuery& query, float base, float* scores) {
  for (std::size_t c = 0; c < kCodeColumns; ++c) {
    std::int32_t sum = 0;
    for (std::size_t i = 0; i < values; ++i) {
      sum += query.values[i] * codes[(i / 2 * kCodeColumns + c) * 2 + i % 2];
    }
    scores[c] =
        static_cast<float>(sum) * (header[c] * query.scale) + (header[kCodeColumns + c] + base);
  }
}
#else
HWY_INLINE void score_panel(const float* header, const std::int8_t* codes, std::size_t values,
                            const CodeQuery& query, float base, float* scores) {
  const hn::CappedTag<std::int32_t, kCodeColumns> sums_tag;
  const hn::Repartition<std::int16_t, decltype(sums_tag)> pairs_tag;
  const hn::Rebind<std::int8_t, decltype(pairs_tag)> codes_tag;
  const hn::Rebind<float, decltype(sums_tag)> floats_tag;
  constexpr std::size_t kLanes = hn::MaxLanes(sums_tag);
  constexpr std::size_t kVectors = kCodeColumns / kLanes;
  // Two chains for each vector: one sum need not wait for the one before it.
  hn::Vec<decltype(sums_tag)> sums[kVectors][2];
  hn::Vec<decltype(sums_tag)> rest[kVectors][2];
  for (std::size_t v = 0; v < kVectors; ++v) {
    for (std::size_t chain = 0; chain < 2; ++chain) {
      sums[v][chain] = hn::Zero(sums_tag);
      rest[v][chain] = hn::Zero(sums_tag);
    }
  }
  for (std::size_t i = 0; i < values; i += 4) {
    for (std::size_t chain = 0; chain < 2; ++chain) {
      std::int32_t pair;
      std::memcpy(&pair, query.values + i + 2 * chain, sizeof(pair));
      const auto x = hn::BitCast(pairs_tag, hn::Set(sums_tag, pair));
      const std::int8_t* from = codes + (i / 2 + chain) * 2 * kCodeColumns;
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto w = hn::PromoteTo(pairs_tag, hn::LoadU(codes_tag, from + v * 2 * kLanes));
        sums[v][chain] =
            hn::ReorderWidenMulAccumulate(sums_tag, w, x, sums[v][chain], rest[v][chain]);
      }
    }
  }
  const auto scale = hn::Set(floats_tag, query.scale);
  const auto added = hn::Set(floats_tag, base);
  for (std::size_t v = 0; v < kVectors; ++v) {
    const auto total = hn::Add(hn::RearrangeToOddPlusEven(sums[v][0], rest[v][0]),
                               hn::RearrangeToOddPlusEven(sums[v][1], rest[v][1]));
    const auto scales = hn::Mul(hn::LoadU(floats_tag, header + v * kLanes), scale);
    const auto biases = hn::Add(hn::LoadU(floats_tag, header + kCodeColumns + v * kLanes), added);
    hn::StoreU(hn::MulAdd(hn::ConvertTo(floats_tag, total), scales, biases), floats_tag,
               scores + v * kLanes);
  }
}
#endif

void score_panels_on_target(const std::byte* panels, std::size_t count, FeatureId dimension,
                            const CodeQuery& query, float base, float* scores) {
  const std::size_t bytes = code_panel_bytes(dimension);
  for (std::size_t p = 0; p < count; ++p) {
    const std::byte* panel = panels + p * bytes;
    score_panel(reinterpret_cast<const float*>(panel),
                reinterpret_cast<const std::int8_t*>(panel + kCodeColumns * 2 * sizeof(float)),
                code_values(dimension), query, base, scores + p * kCodeColumns);
  }
}

float largest_on_target(const float* values, std::size_t count) {
  const hn::ScalableTag<float> tag;
  auto most = hn::Zero(tag);
  std::size_t i = 0;
  for (; i + hn::Lanes(tag) <= count; i += hn::Lanes(tag)) {
    most = hn::Max(most, hn::Abs(hn::LoadU(tag, values + i)));
  }
  float highest = hn::GetLane(hn::MaxOfLanes(tag, most));
  for (; i < count; ++i) highest = std::max(highest, std::abs(values[i]));
  return highest;
}

void quantize_on_target(const float* x, std::size_t count, float per_step, std::int16_t* values) {
  const hn::ScalableTag<float> tag;
  const hn::Rebind<std::int16_t, decltype(tag)> values_tag;
  const auto factor = hn::Set(tag, per_step);
  std::size_t i = 0;
  for (; i + hn::Lanes(tag) <= count; i += hn::Lanes(tag)) {
    const auto rounded = hn::NearestInt(hn::Mul(hn::LoadU(tag, x + i), factor));
    hn::StoreU(hn::DemoteTo(values_tag, rounded), values_tag, values + i);
  }
  for (; i < count; ++i) values[i] = static_cast<std::int16_t>(std::lrint(x[i] * per_step));
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(score_panels_on_target);
HWY_EXPORT(largest_on_target);
HWY_EXPORT(quantize_on_target);

void score_panels(const std::byte* panels, std::size_t count, FeatureId dimension,
                  const CodeQuery& query, float base, float* scores) {
  HWY_DYNAMIC_DISPATCH(score_panels_on_target)(panels, count, dimension, query, base, scores);
}

namespace {

float largest(std::span<const float> values) {
  float most = 0.0F;
  for (const float value : values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(value));
  }
  return most;
}

std::int32_t rounded(float value, float per_step) {
  const float steps = value * per_step;
  if (!std::isfinite(steps)) return 0;
  return static_cast<std::int32_t>(steps + (steps < 0.0F ? -0.5F : 0.5F));
}

constexpr float kMaxCode = 127.0F;

}  // namespace

float quantize_query(std::span<const float> x, std::int16_t* values) {
  const std::size_t count = code_values(static_cast<FeatureId>(x.size()));
  constexpr double kMaxSum = std::numeric_limits<std::int32_t>::max();
  const auto limit = static_cast<float>(std::min<double>(
      std::numeric_limits<std::int16_t>::max(),
      std::floor(kMaxSum / (static_cast<double>(kMaxCode) * static_cast<double>(count)))));
  const float most = HWY_DYNAMIC_DISPATCH(largest_on_target)(x.data(), x.size());
  const float per_step = limit / most;
  std::fill_n(values, count, std::int16_t{0});
  if (!std::isfinite(per_step)) return 0.0F;
  HWY_DYNAMIC_DISPATCH(quantize_on_target)(x.data(), x.size(), per_step, values);
  return most / limit;
}

void clear_panel(FeatureId dimension, std::byte* panel) {
  std::memset(panel, 0, code_panel_bytes(dimension));
  auto* const header = reinterpret_cast<float*>(panel);
  std::fill_n(header + kCodeColumns, kCodeColumns, -std::numeric_limits<float>::infinity());
}

void store_code(std::span<float> vector, float bias, std::uint32_t column, std::byte* panel) {
  auto* const header = reinterpret_cast<float*>(panel);
  auto* const codes = reinterpret_cast<std::int8_t*>(panel + kCodeColumns * 2 * sizeof(float));
  const float most = largest(vector);
  float per_step = kMaxCode / most;
  if (!std::isfinite(per_step)) per_step = 0.0F;
  const float step = per_step > 0.0F ? most / kMaxCode : 0.0F;
  header[column] = step;
  header[kCodeColumns + column] = std::isfinite(bias) ? bias : 0.0F;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const std::int32_t code = rounded(vector[i], per_step);
    codes[(i / 2 * kCodeColumns + column) * 2 + i % 2] = static_cast<std::int8_t>(code);
    vector[i] = step * static_cast<float>(code);
  }
}

void add_bias(float change, std::uint32_t column, std::byte* panel) {
  reinterpret_cast<float*>(panel)[kCodeColumns + column] += change;
}

void prefetch_panels(const std::byte* panels, std::size_t count, FeatureId dimension) {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = count * code_panel_bytes(dimension);
  for (std::size_t i = 0; i < bytes; i += kLine) hwy::Prefetch(panels + i);
}

}  // namespace cane
#endif
