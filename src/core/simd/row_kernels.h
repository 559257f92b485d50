// One example against many classes that each have a row in a table: the hot path of a
// shortlist. A row is dimension + 1 contiguous floats, the bias last; row k begins at
// table + k * pitch. The same bits as the blocks of stride 1 in block_kernels.h.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/row_view.h"
#include "core/base/types.h"

namespace cane {

/// scores[i] = bias + x . w of class classes[i]
void score_rows(const float* table, std::size_t pitch, FeatureId dimension, const RowView& row,
                std::span<const ClassId> classes, float* scores);

/// w += rate * steps[i] * x and bias += rate * steps[i] for class classes[i], one after the other:
/// a class may come more than once.
void update_rows(float* table, std::size_t pitch, FeatureId dimension, float rate,
                 const RowView& row, std::span<const ClassId> classes, const float* steps);

}  // namespace cane
