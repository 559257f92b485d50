// Remembers what another selector found. Which classes compete for an example changes slowly: once
// training is under way they are searched anew every few epochs only, and in between those of the
// last search are scored with the weights as they are. The lists depend on the example, never on
// its label, so consistency is not touched.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "search/selector.h"

namespace cane {

class RememberingSelector final : public Selector {
 public:
  /// Searches by `searched` in the first two epochs and then in every `period`-th one. It must be
  /// asked for examples by their number, below `examples`, and always for a beam of this width.
  RememberingSelector(std::unique_ptr<Selector> searched, std::size_t examples, std::uint32_t width,
                      std::uint32_t period);

  std::unique_ptr<Selector::Workspace> make_workspace() const override;
  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t width,
              std::uint32_t keep, Selector::Workspace& workspace,
              Selection& selection) const override;
  Taught taught(Selector::Workspace& workspace) const override;
  bool needs_refresh() const override { return searched_->needs_refresh(); }
  void refresh(ThreadPool* pool) override { searched_->refresh(pool); }

  static std::size_t bytes(std::size_t examples, std::uint32_t width) {
    return examples * width * sizeof(ClassId);
  }

 private:
  struct Workspace : Selector::Workspace {
    std::unique_ptr<Selector::Workspace> searching;
    bool searched = false;  // for the rows selected last
    ClassLists remembered;
    std::vector<float> scores;
  };
  bool remembers(const SelectionDraws& draws) const;
  void search(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t keep,
              Workspace& workspace, Selection& selection) const;

  std::unique_ptr<Selector> searched_;
  std::uint32_t width_;
  std::uint32_t period_;
  // `width_` classes of every example, kUnknownClass where there are fewer. An example is in one
  // batch of an epoch, so that threads never meet here.
  mutable std::vector<ClassId> memory_;
};

}  // namespace cane
