#include "search/remembering_selector.h"

#include <algorithm>
#include <cassert>

#include "search/rerank.h"

namespace cane {
namespace {

// While weights move fast.
constexpr std::uint32_t kFirstEpochs = 2;

}  // namespace

RememberingSelector::RememberingSelector(std::unique_ptr<Selector> searched, std::size_t examples,
                                         std::uint32_t width, std::uint32_t period)
    : Selector(searched->scorer()),
      searched_(std::move(searched)),
      width_(width),
      period_(period),
      memory_(examples * width, kUnknownClass) {}

std::unique_ptr<Selector::Workspace> RememberingSelector::make_workspace() const {
  auto workspace = std::make_unique<Workspace>();
  workspace->searching = searched_->make_workspace();
  return workspace;
}

bool RememberingSelector::remembers(const SelectionDraws& draws) const {
  const std::uint32_t epoch = draws.random.epoch();
  if (epoch < kFirstEpochs || epoch % period_ == 0) return false;
  for (const std::uint32_t number : draws.numbers) {
    __builtin_prefetch(memory_.data() + std::size_t{number} * width_);
  }
  return std::all_of(draws.numbers.begin(), draws.numbers.end(), [&](std::uint32_t number) {
    return memory_[std::size_t{number} * width_] != kUnknownClass;
  });
}

void RememberingSelector::select(std::span<const RowView> rows, const SelectionDraws& draws,
                                 std::uint32_t /*width*/, std::uint32_t keep,
                                 Selector::Workspace& workspace, Selection& selection) const {
  assert(draws.numbers.size() == rows.size());
  auto& own = static_cast<Workspace&>(workspace);
  own.searched = !remembers(draws);
  if (own.searched) {
    search(rows, draws, keep, own, selection);
    return;
  }
  own.remembered.clear();
  for (const std::uint32_t number : draws.numbers) {
    const ClassId* classes = memory_.data() + std::size_t{number} * width_;
    const ClassId* end = std::find(classes, classes + width_, kUnknownClass);
    own.remembered.classes.insert(own.remembered.classes.end(), classes, end);
    own.remembered.end_list();
  }
  own.scores.resize(own.remembered.classes.size());
  selection.clear();
  selection.rows_scored = scorer().score(rows, own.remembered, own.scoring, own.scores.data());
  rerank(own.remembered, own.scores, keep, selection);
}

void RememberingSelector::search(std::span<const RowView> rows, const SelectionDraws& draws,
                                 std::uint32_t keep, Workspace& workspace,
                                 Selection& selection) const {
  searched_->select(rows, draws, width_, width_, *workspace.searching, selection);
  // What is kept moves to the front, to places that were read before.
  std::size_t kept = 0;
  std::size_t begin = 0;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const std::size_t end = selection.offsets[e + 1];
    ClassId* classes = memory_.data() + std::size_t{draws.numbers[e]} * width_;
    std::fill_n(classes, width_, kUnknownClass);
    for (std::size_t i = begin; i < end; ++i) {
      const Candidate candidate = selection.candidates[i];
      classes[i - begin] = candidate.label;
      if (i - begin < keep) selection.candidates[kept++] = candidate;
    }
    selection.offsets[e + 1] = kept;
    begin = end;
  }
  selection.candidates.resize(kept);
}

Selector::Taught RememberingSelector::taught(Selector::Workspace& workspace) const {
  auto& own = static_cast<Workspace&>(workspace);
  return own.searched ? searched_->taught(*own.searching) : Taught{nullptr, nullptr};
}

}  // namespace cane
