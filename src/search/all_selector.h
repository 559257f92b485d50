// Every class is a candidate: the full softmax.
#pragma once

#include "search/selector.h"

namespace cane {

class AllSelector final : public Selector {
 public:
  using Selector::Selector;

  std::unique_ptr<Selector::Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  /// The classes in their own order: a search for the best would be lost on a softmax.
  void select(std::span<const RowView> rows, const SelectionDraws& /*draws*/,
              std::uint32_t /*width*/, std::uint32_t /*keep*/, Selector::Workspace& workspace,
              Selection& selection) const override {
    auto& own = static_cast<Workspace&>(workspace);
    const std::size_t pitch = scorer().all_pitch();
    own.scores.resize(rows.size() * pitch);
    scorer().score_all(rows, own.scoring, pitch, own.scores.data());
    selection.clear();
    for (std::size_t e = 0; e < rows.size(); ++e) {
      for (ClassId k = 0; k < scorer().classes(); ++k) {
        selection.candidates.push_back({k, own.scores[e * pitch + k]});
      }
      selection.offsets.push_back(selection.candidates.size());
    }
    selection.rows_scored = std::uint64_t{scorer().classes()} * rows.size();
  }

 private:
  struct Workspace : Selector::Workspace {
    std::vector<float> scores;
  };
};

}  // namespace cane
