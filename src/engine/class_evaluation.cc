#include "engine/class_evaluation.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/base/stopwatch.h"
#include "data/rows/row_gather.h"
#include "linear/scorers/flat_scorer.h"
#include "predict/evaluate.h"
#include "search/exact_selector.h"

namespace cane {
namespace {

// Rows that are looked at by one thread, and between two exchanges.
constexpr std::size_t kSliceRows = 64;
constexpr std::size_t kRowsAtOnce = 16 * kSliceRows;

class ShardedSearch {
 public:
  ShardedSearch(Checkpoint& run, const DatasetView& data, const Encoder* encoder,
                std::uint32_t keep)
      : part_(run.shards->part),
        data_(data),
        encoder_(encoder),
        keep_(keep),
        draws_{CounterRandom(0, RandomPurpose::kEstimate), {}} {
    const ShardTables& tables = *run.shards;
    for (std::uint32_t i = 0; i < part_.own().count(); ++i) layouts_.push_back(tables.layout_of(i));
    for (std::uint32_t i = 0; i < part_.own().count(); ++i) {
      const float* const weights = run.state.weights[kClassTable].data();
      scorers_.emplace_back(layouts_[i].node_bound(), layouts_[i], weights + tables.offset_of(i));
    }
    for (const FlatScorer& scorer : scorers_) selectors_.emplace_back(scorer);
  }

  /// The best classes of each shard for each of these rows, on every rank.
  void search(std::size_t first, std::size_t count, ThreadPool& pool, Communicator& ranks) {
    first_ = first;
    own_.resize(part_.own().count() * count * keep_);
    pool.run((count + kSliceRows - 1) / kSliceRows, [&](std::size_t slice, int) {
      const std::size_t begin = slice * kSliceRows;
      search_slice(begin, std::min(count, begin + kSliceRows), count);
    });
    all_ = ranks.all_gather_values(std::span<const Candidate>(own_));
    count_ = count;
  }
  /// Those of all shards for one of the rows, best first.
  std::span<const Candidate> best(std::size_t row) {
    best_.clear();
    for (std::size_t shard = 0; shard < part_.shards().count(); ++shard) {
      const auto found = std::span(all_).subspan((shard * count_ + row) * keep_, keep_);
      std::ranges::copy_if(found, std::back_inserter(best_), [](const Candidate& candidate) {
        return candidate.class_id != kUnknownClass;
      });
    }
    const auto end =
        best_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(keep_, best_.size()));
    std::partial_sort(best_.begin(), end, best_.end(), is_better);
    return {best_.begin(), end};
  }

 private:
  void search_slice(std::size_t begin, std::size_t end, std::size_t count) {
    std::vector<std::size_t> examples;
    for (std::size_t e = begin; e < end; ++e) examples.push_back(first_ + e);
    RowGather gather;
    Encoder::Workspace workspace;
    Selection selection;
    auto rows = gather.gather(data_, std::span<const std::size_t>(examples), encoder_ == nullptr);
    if (encoder_ != nullptr) rows = encoder_->encode(rows, workspace);
    for (std::uint32_t i = 0; i < part_.own().count(); ++i) {
      selection.clear();
      if (scorers_[i].classes() > 0) {
        selectors_[i].make_worker()->select(rows, draws_, keep_, keep_, selection);
      }
      for (std::size_t row = 0; row < rows.size(); ++row) {
        Candidate* const to = own_.data() + (i * count + begin + row) * keep_;
        std::fill_n(to, keep_, Candidate{kUnknownClass, 0.0F});
        if (scorers_[i].classes() == 0) continue;
        std::ranges::transform(selection.of(row), to, [&](const Candidate& found) {
          return Candidate{part_.shards().global(part_.own().begin + i, found.class_id),
                           found.score};
        });
      }
    }
  }

  const ClassPart& part_;
  const DatasetView& data_;
  const Encoder* encoder_;
  std::uint32_t keep_;
  SelectionDraws draws_;  // nothing is drawn
  std::vector<BlockLayout> layouts_;
  std::vector<FlatScorer> scorers_;
  std::vector<ExactSelector> selectors_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<Candidate> own_;  // (own shards x rows x keep)
  std::vector<Candidate> all_;  // (shards x rows x keep)
  std::vector<Candidate> best_;
};

}  // namespace

Evaluation evaluate_shards(Checkpoint& run, const DatasetView& data, const Encoder* encoder,
                           ThreadPool& pool, Communicator& ranks) {
  EvaluateOptions options;
  options.probability = Probability::kNone;
  const std::uint32_t top = std::ranges::max(options.top_k);
  ShardedSearch search(run, data, encoder, top);
  std::vector<Outcome> outcomes(data.size());
  const Stopwatch stopwatch;
  for (std::size_t first = 0; first < data.size(); first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, data.size() - first);
    search.search(first, count, pool, ranks);
    for (std::size_t row = 0; row < count; ++row) {
      const auto found = search.best(row);
      const ClassId label = data.label(first + row);
      const auto place = std::ranges::find(found, label, &Candidate::class_id);
      outcomes[first + row] = {.label = label, .answer = found.front().class_id};
      if (label == kUnknownClass) continue;
      outcomes[first + row].is_covered = true;
      if (place == found.end()) continue;
      outcomes[first + row].place = static_cast<std::uint32_t>(place - found.begin());
    }
  }
  const double seconds = stopwatch.seconds();
  Evaluation evaluation = measure(outcomes, run.model.class_counts, top, options);
  evaluation.seconds = seconds;
  return evaluation;
}

}  // namespace cane
