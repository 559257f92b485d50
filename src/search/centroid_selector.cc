#include "search/centroid_selector.h"

#include <algorithm>
#include <limits>

#include "data/rows/row_gather.h"

namespace cane {
namespace {

// Share of the probability that a margin may lose at a level.
constexpr double kLost = 0.0005;
// Share of what the likely class of a node is above the mean of all its classes, to be added to the
// node. For class means it makes the best node the one whose mean is nearest.
constexpr double kRise = 0.5;
constexpr std::size_t kSample = 512;
constexpr std::size_t kPiece = 32;
// Classes that are scored exactly for each one wanted: 8 bits change the order of close scores.
constexpr std::uint32_t kSpare = 3;
// Vectors in 8 bits that cost as much as one of floats.
constexpr std::uint64_t kCodesPerRow = sizeof(float);

class CentroidNoise final : public FrontierNoise {
 public:
  CentroidNoise(CentroidSearch& search, const ClassTree& tree, std::span<const std::uint32_t> below)
      : FrontierNoise(tree, below), search_(search) {}

 private:
  void collect(std::uint32_t example, std::vector<Part>& parts) override {
    places_.clear();
    search_.add_frontier(example, places_);
    for (const CentroidSearch::Place& place : places_) parts.push_back({place.node, place.score});
  }

  CentroidSearch& search_;
  std::vector<CentroidSearch::Place> places_;
};

class CentroidWorker final : public Selector::Worker {
 public:
  explicit CentroidWorker(const CentroidSelector& selector)
      : Worker(selector.scorer()),
        selector_(selector),
        search_(selector.index(), selector.is_for_prediction()),
        noise_(search_, selector.index().tree(), selector.below()) {}

  // In training the search keeps nothing that it does not follow.
  NoiseSource& noise() override {
    if (selector_.is_for_prediction()) return noise_;
    return Worker::noise();
  }

  void select(std::span<const RowView> rows, const SelectionDraws& /*draws*/, std::uint32_t width,
              std::uint32_t keep, Selection& selection) override {
    proposed_.clear();
    const std::uint64_t codes =
        search_.search(rows, width, keep + kSpare, selector_.margins(), proposed_);
    scores_.resize(proposed_.classes.size());
    selection.clear();
    selection.rows_scored =
        scorer().score(rows, proposed_, scratch(), scores_.data()) + codes / kCodesPerRow;
    rerank(proposed_, scores_, keep, selection);
  }

 private:
  const CentroidSelector& selector_;
  CentroidSearch search_;
  CentroidNoise noise_;
  ClassLists proposed_;
  std::vector<float> scores_;
};

// The factor that adds, on average, this share of what a class of the node is above the mean of all
// of them.
float factor_of(const std::vector<CentroidSearch::Gap>& gaps) {
  double rise = 0.0;
  double spread = 0.0;
  for (const auto& gap : gaps) {
    rise += static_cast<double>(gap.weight) * static_cast<double>(gap.rise);
    spread += static_cast<double>(gap.weight) * static_cast<double>(gap.spread);
  }
  return spread > 0.0 && rise > 0.0 ? static_cast<float>(kRise * rise / spread) : 0.0F;
}

// The margin within which all but a small share of the probability lies.
float margin_of(std::vector<CentroidSearch::Gap>& gaps) {
  std::ranges::sort(gaps, {}, &CentroidSearch::Gap::behind);
  double total = 0.0;
  for (const auto& gap : gaps) total += static_cast<double>(gap.weight);
  double left = kLost * total;
  std::size_t last = gaps.size() - 1;
  for (; last > 0 && left > static_cast<double>(gaps[last].weight); --last) {
    left -= static_cast<double>(gaps[last].weight);
  }
  return gaps[last].behind;
}

}  // namespace

CentroidSelector::CentroidSelector(const FlatScorer& scorer, const ClassTree& tree,
                                   const SearchLevels<float>& levels,
                                   const SearchMeasurement& measurement)
    : scorer_(scorer),
      index_(tree, scorer.layout().dimension()),
      levels_{levels.margins, levels.factors},
      measured_(levels),
      measurement_(measurement) {}

CentroidSelector::CentroidSelector(const FlatScorer& scorer, const ClassTree& tree,
                                   const SearchLevels<const float>& levels)
    : scorer_(scorer),
      index_(tree, scorer.layout().dimension()),
      levels_(levels),
      below_(classes_below_nodes(tree)) {}

std::unique_ptr<Selector::Worker> CentroidSelector::make_worker() const {
  return std::make_unique<CentroidWorker>(*this);
}

void CentroidSelector::refresh(ThreadPool* pool) {
  const BlockLayout& layout = scorer_.layout();
  index_.build(
      [&](ClassId class_id, std::span<float> values) {
        scorer_.weights().decode_column(layout, class_id, values);
      },
      pool);
  if (is_for_prediction()) {
    index_.add_spreads(levels_.factors, pool);
  } else {
    measure(pool);
  }
}

void CentroidSelector::measure(ThreadPool* pool) {
  std::ranges::fill(measured_.margins, std::numeric_limits<float>::max());
  std::ranges::fill(measured_.factors, 0.0F);
  if (measurement_.data == nullptr || measurement_.data->size() == 0) return;
  const DatasetView& data = *measurement_.data;
  std::vector<std::size_t> sample(std::min(kSample, data.size()));
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = i * data.size() / sample.size();
  measure_gaps(sample, pool);
  for (std::size_t level = 0; level < gaps_.size(); ++level) {
    measured_.factors[level] = factor_of(gaps_[level]);
  }
  index_.add_spreads(measured_.factors, pool);
  measure_gaps(sample, pool);
  for (std::size_t level = 0; level < gaps_.size(); ++level) {
    if (!gaps_[level].empty()) measured_.margins[level] = margin_of(gaps_[level]);
  }
}

// In pieces, so that all threads take part; the result does not depend on which takes what.
void CentroidSelector::measure_gaps(std::span<const std::size_t> sample, ThreadPool* pool) {
  using Gaps = std::vector<std::vector<CentroidSearch::Gap>>;
  std::vector<Gaps> pieces((sample.size() + kPiece - 1) / kPiece, Gaps(measured_.margins.size()));
  const auto run = [&](std::size_t piece, int /*worker*/) {
    RowGather gather;
    CentroidSearch search(index_);
    ClassLists found;
    const std::size_t begin = piece * kPiece;
    const auto examples = sample.subspan(begin, std::min(kPiece, sample.size() - begin));
    search.search(gather.gather(*measurement_.data, examples), measurement_.width,
                  measurement_.width, {}, found);
    search.measure_gaps(pieces[piece]);
  };
  if (pool != nullptr) {
    pool->run(pieces.size(), run);
  } else {
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) run(piece, 0);
  }
  gaps_.assign(measured_.margins.size(), {});
  for (const Gaps& piece : pieces) {
    for (std::size_t level = 0; level < gaps_.size(); ++level) {
      gaps_[level].insert(gaps_[level].end(), piece[level].begin(), piece[level].end());
    }
  }
}

}  // namespace cane
