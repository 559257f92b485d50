#include "train/classes/sharded_search.h"

#include <algorithm>

namespace cane {

ShardedSearch::ShardedSearch(const ShardTables& tables, TrainState& state, const SearchRules& rules,
                             ThreadPool& pool, Communicator& ranks)
    : tables_(tables),
      state_(state),
      rules_(rules),
      widths_(rules.width, rules.merge.candidates, tables.shards.count()),
      pool_(pool),
      ranks_(ranks) {}

void ShardedSearch::for_each_shard(const std::function<void(Slice&, std::uint32_t)>& body) {
  const std::uint32_t own = tables_.own.count();
  pool_.run(slices_in_use_ * own, [&](std::size_t task, int) {
    body(slices_[task / own], static_cast<std::uint32_t>(task % own));
  });
}

void ShardedSearch::for_each_slice(const std::function<void(Slice&, std::size_t)>& body) {
  pool_.run(slices_in_use_, [&](std::size_t slice, int) { body(slices_[slice], slice); });
}

bool ShardedSearch::run(std::span<const std::uint32_t> examples, std::span<const ClassId> labels,
                        const RowsOfSlice& rows_of, const CounterRandom& random, bool wants_stop) {
  cut(examples, labels);
  const Projection projection = {.layout = &tables_.layout(tables_.projection()),
                                 .weights = WeightView(state_.weights[tables_.projection()].data()),
                                 .rank = rules_.rank};
  for_each_slice([&](Slice& slice, std::size_t index) {
    slice.rows = rows_of(index, slice.examples);
    slice.projected = slice.inputs.project(projection, slice.rows);
  });
  for_each_shard([&](Slice& slice, std::uint32_t shard) {
    slice.shards[shard].search(slice.rows, slice.projected, slice.labels, widths_);
  });
  const bool stops = share_findings(wants_stop);
  for_each_slice([&](Slice& slice, std::size_t) {
    slice.merged->merge(reports_, slice.first, slice.labels, slice.examples, random);
  });
  ask_for_noises();
  return stops;
}

void ShardedSearch::cut(std::span<const std::uint32_t> examples, std::span<const ClassId> labels) {
  examples_ = examples.size();
  slices_in_use_ = (examples.size() + kSliceExamples - 1) / kSliceExamples;
  while (slices_.size() < slices_in_use_) {
    Slice& slice = slices_.emplace_back();
    slice.merged = std::make_unique<MergedSlice>(tables_.shards, rules_.merge);
    slice.answers.resize(tables_.own.count());
    for (std::uint32_t shard = 0; shard < tables_.own.count(); ++shard) {
      slice.shards.emplace_back(tables_, shard, state_);
    }
  }
  for (std::size_t i = 0; i < slices_in_use_; ++i) {
    const std::size_t first = i * kSliceExamples;
    const std::size_t count = std::min(kSliceExamples, examples.size() - first);
    slices_[i].first = first;
    slices_[i].examples = examples.subspan(first, count);
    slices_[i].labels = labels.subspan(first, count);
  }
}

bool ShardedSearch::share_findings(bool wants_stop) {
  heads_.clear();
  listed_.clear();
  for (std::uint32_t shard = 0; shard < tables_.own.count(); ++shard) {
    for (std::size_t i = 0; i < slices_in_use_; ++i) {
      const ShardSlice& found = slices_[i].shards[shard];
      heads_.insert(heads_.end(), found.heads().begin(), found.heads().end());
      listed_.insert(listed_.end(), found.listed().begin(), found.listed().end());
    }
  }
  return reports_.gather(ranks_, tables_.shards.count(), examples_, wants_stop, heads_, listed_);
}

// Every rank knows the questions to every shard, so answers travel without them: those of a shard,
// slice after slice, in the order of its questions.
void ShardedSearch::ask_for_noises() {
  bool is_asked = false;
  for (std::size_t i = 0; i < slices_in_use_; ++i) {
    is_asked = is_asked || !slices_[i].merged->questions().empty();
  }
  if (!is_asked) return;
  for_each_shard([&](Slice& slice, std::uint32_t shard) {
    slice.answers[shard].clear();
    slice.shards[shard].answer(slice.merged->questions(), slice.answers[shard]);
  });
  listed_.clear();
  for (std::uint32_t shard = 0; shard < tables_.own.count(); ++shard) {
    for (std::size_t i = 0; i < slices_in_use_; ++i) {
      const std::vector<ListedClass>& answers = slices_[i].answers[shard];
      listed_.insert(listed_.end(), answers.begin(), answers.end());
    }
  }
  const auto all = ranks_.all_gather_values(std::span<const ListedClass>(listed_));
  std::size_t next = 0;
  for (std::uint32_t shard = 0; shard < tables_.shards.count(); ++shard) {
    for (std::size_t i = 0; i < slices_in_use_; ++i) {
      MergedSlice& merged = *slices_[i].merged;
      for (std::size_t question = 0; question < merged.questions().size(); ++question) {
        if (merged.questions()[question].shard == shard) {
          merged.set_answer(question, all.at(next++));
        }
      }
    }
  }
}

}  // namespace cane
