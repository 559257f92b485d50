#include "kernels/block_kernels.h"

// Vectors of unknown length cannot be kept in arrays; every arm64 machine has NEON as well.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/block_kernels.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cane {
namespace HWY_NAMESPACE {

void ScoreBlock(const float* block, BlockShape shape, std::span<const ScoreTask> tasks) {
  for_each_panel(shape.stride, [&](auto panel, std::uint32_t column)
                                   HWY_ATTR { panel.score(block, shape, column, tasks); });
}

void UpdateBlock(float* block, BlockShape shape, float rate, std::span<const UpdateTask> tasks) {
  for_each_panel(shape.stride, [&](auto panel, std::uint32_t column) HWY_ATTR {
    for (const UpdateTask& task : tasks) panel.update(block, shape, column, rate, task);
  });
}

void AdagradUpdateBlock(float* block, float* squares, BlockShape shape, float rate,
                        std::span<const UpdateTask> tasks) {
  for_each_panel(shape.stride, [&](auto panel, std::uint32_t column) HWY_ATTR {
    for (const UpdateTask& task : tasks) {
      panel.adagrad_update(block, squares, shape, column, rate, task);
    }
  });
}

void ScaleBlock(float* block, BlockShape shape, const RowView& row, const float* factors) {
  for_each_panel(shape.stride, [&](auto panel, std::uint32_t column)
                                   HWY_ATTR { panel.scale(block, shape, column, row, factors); });
}

const char* TargetName() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace cane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cane {

HWY_EXPORT(ScoreBlock);
HWY_EXPORT(UpdateBlock);
HWY_EXPORT(AdagradUpdateBlock);
HWY_EXPORT(ScaleBlock);
HWY_EXPORT(TargetName);

void score_block(const float* block, BlockShape shape, std::span<const ScoreTask> tasks) {
  HWY_DYNAMIC_DISPATCH(ScoreBlock)(block, shape, tasks);
}

void update_block(float* block, BlockShape shape, float rate, std::span<const UpdateTask> tasks) {
  HWY_DYNAMIC_DISPATCH(UpdateBlock)(block, shape, rate, tasks);
}

void adagrad_update_block(float* block, float* squares, BlockShape shape, float rate,
                          std::span<const UpdateTask> tasks) {
  HWY_DYNAMIC_DISPATCH(AdagradUpdateBlock)(block, squares, shape, rate, tasks);
}

void scale_block(float* block, BlockShape shape, const RowView& row, const float* factors) {
  HWY_DYNAMIC_DISPATCH(ScaleBlock)(block, shape, row, factors);
}

std::string kernel_target() {
  return HWY_DYNAMIC_DISPATCH(TargetName)();
}

}  // namespace cane
#endif
