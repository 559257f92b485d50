// The oracle: scores all classes and takes the truly best ones.
#pragma once

#include "search/selector.h"
#include "search/top_scores.h"

namespace cane {

class ExactSelector final : public Selector {
 public:
  using Selector::Selector;

  std::unique_ptr<Selector::Workspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }
  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Selector::Workspace& workspace,
              Selection& selection) const override;

 private:
  struct Workspace : Selector::Workspace {
    std::vector<float> scores;
    TopScores top;
  };
};

}  // namespace cane
