// The tables of a rank in a training whose classes are shared out: those of the model, but with the
// rows of its own classes only, shard after shard. All ranks have the layers of an encoder alike.
#pragma once

#include <vector>

#include "linear/weights/parameter_table.h"
#include "step/class_shards.h"

namespace cane {

struct ShardTables {
  /// `model` has the tables of the whole model, whose classes have rows of their own.
  ShardTables(const std::vector<ParameterTable>& model, const ClassShards& shards, OwnShards own)
      : part(shards, own), tables(model) {
    tables[kClassTable].layout =
        BlockLayout::flat(part.rows(), kRowWidth, model[kClassTable].layout.dimension());
  }

  const BlockLayout& layout() const { return tables[kClassTable].layout; }
  /// The rows of the i-th own shard, as a table of its own that begins at first_row(i).
  BlockLayout layout_of(std::uint32_t i) const {
    return BlockLayout::flat(part.first_row(i + 1) - part.first_row(i), kRowWidth,
                             layout().dimension());
  }
  std::size_t offset_of(std::uint32_t i) const { return part.first_row(i) * layout().pitch(); }

  ClassPart part;
  std::vector<ParameterTable> tables;
};

}  // namespace cane
