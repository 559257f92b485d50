#include "search/candidate_memory.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace cane {
namespace {

// Epochs that always search, because weights change quickly in them.
constexpr std::uint32_t kFirstEpochs = 2;

class RememberingWorker final : public Selector::Worker {
 public:
  RememberingWorker(CandidateMemory& memory, std::unique_ptr<Selector::Worker> searching)
      : Worker(searching->scorer()), memory_(memory), searching_(std::move(searching)) {}

  void select(std::span<const RowView> rows, const SelectionDraws& draws, std::uint32_t /*width*/,
              std::uint32_t keep, Selection& selection) override {
    assert(draws.numbers.size() == rows.size());
    if (!memory_.remembers(draws)) {
      searching_->select(rows, draws, memory_.width(), memory_.width(), selection);
      remember(draws.numbers, keep, selection);
      return;
    }
    searching_->skip_batch();
    remembered_.clear();
    for (const std::uint32_t number : draws.numbers) {
      const auto list = memory_.list(number);
      const auto end = std::find(list.begin(), list.end(), kUnknownClass);
      remembered_.classes.insert(remembered_.classes.end(), list.begin(), end);
      remembered_.end_list();
    }
    scores_.resize(remembered_.classes.size());
    selection.clear();
    selection.rows_scored = scorer().score(rows, remembered_, scratch(), scores_.data());
    rerank(remembered_, scores_, keep, selection);
  }

 private:
  // Compact in place: kept classes move to positions that were already read.
  void remember(std::span<const std::uint32_t> numbers, std::uint32_t keep, Selection& selection) {
    std::size_t kept = 0;
    std::size_t begin = 0;
    for (std::size_t e = 0; e < numbers.size(); ++e) {
      const std::size_t end = selection.offsets[e + 1];
      const auto list = memory_.list(numbers[e]);
      std::ranges::fill(list, kUnknownClass);
      for (std::size_t i = begin; i < end; ++i) {
        const Candidate candidate = selection.candidates[i];
        list[i - begin] = candidate.class_id;
        if (i - begin < keep) selection.candidates[kept++] = candidate;
      }
      selection.offsets[e + 1] = kept;
      begin = end;
    }
    selection.candidates.resize(kept);
  }

  CandidateMemory& memory_;
  std::unique_ptr<Selector::Worker> searching_;
  ClassLists remembered_;
  std::vector<float> scores_;
};

}  // namespace

CandidateMemory::CandidateMemory(std::size_t examples, std::uint32_t width, std::uint32_t period)
    : width_(width), period_(period), classes_(examples * width, kUnknownClass) {}

std::unique_ptr<Selector::Worker> CandidateMemory::make_worker(
    std::unique_ptr<Selector::Worker> searching) {
  return std::make_unique<RememberingWorker>(*this, std::move(searching));
}

bool CandidateMemory::remembers(const SelectionDraws& draws) const {
  const std::uint32_t epoch = draws.random.epoch();
  if (epoch < kFirstEpochs || epoch % period_ == 0) return false;
  for (const std::uint32_t number : draws.numbers) {
    __builtin_prefetch(classes_.data() + std::size_t{number} * width_);
  }
  return std::all_of(draws.numbers.begin(), draws.numbers.end(), [&](std::uint32_t number) {
    return classes_[std::size_t{number} * width_] != kUnknownClass;
  });
}

}  // namespace cane
