#include "search/graph_selector.h"

#include <algorithm>

#include "search/rerank.h"

namespace cane {

void GraphSelector::refresh(ThreadPool* pool) {
  const BlockLayout& layout = flat_.layout();
  const auto row = [&](ClassId label, std::span<float> values) {
    flat_.weights().decode_column(layout, label, values);
  };
  index_ = std::make_unique<const GraphIndex>(row, flat_.classes(), layout.dimension(), pool);
}

void GraphSelector::select(std::span<const RowView> rows, const SelectionDraws& /*draws*/,
                           std::uint32_t width, std::uint32_t keep, Selector::Workspace& workspace,
                           Selection& selection) const {
  auto& own = static_cast<Workspace&>(workspace);
  const FeatureId dimension = flat_.layout().dimension();
  own.proposed.clear();
  for (const RowView& row : rows) {
    std::span<const float> query(row.values, row.count);
    if (row.indices != nullptr || row.count < dimension) {
      own.query.assign(dimension, 0.0F);
      for (std::uint32_t p = 0; p < row.count; ++p) {
        own.query[row.indices == nullptr ? p : row.indices[p]] = row.values[p];
      }
      query = own.query;
    }
    index_->search(query, width, width, own.search, own.found);
    own.proposed.classes.insert(own.proposed.classes.end(), own.found.begin(), own.found.end());
    own.proposed.end_list();
  }
  own.scores.resize(own.proposed.classes.size());
  selection.clear();
  selection.rows_scored = scorer().score(rows, own.proposed, own.scoring, own.scores.data());
  rerank(own.proposed, own.scores, keep, selection);
}

}  // namespace cane
