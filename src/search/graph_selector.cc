#include "search/graph_selector.h"

#include <vector>

namespace cane {
namespace {

class GraphWorker final : public Selector::Worker {
 public:
  explicit GraphWorker(const GraphSelector& selector)
      : Worker(selector.scorer()), selector_(selector) {}

  void select(std::span<const RowView> rows, const SelectionDraws& /*draws*/, std::uint32_t width,
              std::uint32_t keep, Selection& selection) override {
    proposed_.clear();
    for (const RowView& row : rows) {
      selector_.index().search(dense(row), width, width, search_, found_);
      proposed_.classes.insert(proposed_.classes.end(), found_.begin(), found_.end());
      proposed_.end_list();
    }
    scores_.resize(proposed_.classes.size());
    selection.clear();
    selection.rows_scored = scorer().score(rows, proposed_, scratch(), scores_.data());
    rerank(proposed_, scores_, keep, selection);
  }

 private:
  std::span<const float> dense(const RowView& row) {
    const FeatureId dimension = selector_.scorer().layout().dimension();
    if (row.indices == nullptr && row.count >= dimension) return {row.values, row.count};
    query_.assign(dimension, 0.0F);
    for (std::uint32_t p = 0; p < row.count; ++p) {
      query_[row.indices == nullptr ? p : row.indices[p]] = row.values[p];
    }
    return query_;
  }

  const GraphSelector& selector_;
  GraphIndex::Scratch search_;
  std::vector<float> query_;
  std::vector<ClassId> found_;
  ClassLists proposed_;
  std::vector<float> scores_;
};

}  // namespace

std::unique_ptr<Selector::Worker> GraphSelector::make_worker() const {
  return std::make_unique<GraphWorker>(*this);
}

void GraphSelector::refresh(ThreadPool* pool) {
  const BlockLayout& layout = scorer_.layout();
  const auto row = [&](ClassId class_id, std::span<float> values) {
    scorer_.weights().decode_column(layout, class_id, values);
  };
  index_ = std::make_unique<const GraphIndex>(row, scorer_.classes(), layout.dimension(), pool);
}

}  // namespace cane
