#include "lm/sampled/shortlist_maker.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cane/error.h"
#include "core/tree/frequency_tree.h"

namespace cane::lm {
namespace {

using torch::Tensor;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Streams of random numbers.
enum Stream : std::int64_t { kWhere, kLevel, kCoin, kInStratum, kTurn };

std::vector<std::int32_t> by_frequency(std::span<const std::uint64_t> counts) {
  std::vector<std::int32_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
  });
  return order;
}

/// table[index] for an index of any shape, none of it negative.
Tensor at_places(const Tensor& table, const Tensor& index) {
  return table.index_select(0, index.reshape({-1})).view_as(index);
}

/// The place of a word among these, -1 if it is not there; repeated words have the place of one of
/// them. Takes a table of -1, and leaves it so.
class PlacesAmong {
 public:
  PlacesAmong(const Tensor& table, const Tensor& words) : table_(table), words_(words) {
    table_.index_copy_(0, words_, torch::arange(words.numel(), words.options()));
  }
  PlacesAmong(const PlacesAmong&) = delete;
  PlacesAmong& operator=(const PlacesAmong&) = delete;
  ~PlacesAmong() { table_.index_fill_(0, words_, -1); }
  Tensor of(const Tensor& words) const { return at_places(table_, words); }

 private:
  Tensor table_;
  Tensor words_;
};

}  // namespace

ShortlistMaker::ShortlistMaker(const SampledOptions& options, std::span<const std::uint64_t> counts,
                               const BigramCounts* bigrams, std::uint64_t seed,
                               torch::Device device)
    : options_(options),
      words_(static_cast<std::int64_t>(counts.size())),
      seed_(seed),
      device_(device) {
  const std::vector<std::int32_t> order = by_frequency(counts);
  const bool has_candidates = row_of(options.method).has_candidates;
  const auto fixed =
      static_cast<std::size_t>(has_candidates && options.selection.frequent ? options.frequent : 0);
  std::vector<bool> excluded(counts.size(), false);
  std::vector<std::int64_t> places(counts.size() + 1, -1);
  std::vector<std::int64_t> fixed_classes(order.begin(),
                                          order.begin() + static_cast<std::ptrdiff_t>(fixed));
  // Sorted in the order of the table, so that their rows are read front to back.
  std::sort(fixed_classes.begin(), fixed_classes.end());
  for (std::size_t i = 0; i < fixed; ++i) {
    const auto word = static_cast<std::size_t>(fixed_classes[i]);
    excluded[word] = true;
    places[word] = static_cast<std::int64_t>(i);
  }
  fixed_classes_ = torch::tensor(fixed_classes, torch::kInt64).to(device);
  place_of_ = torch::tensor(places, torch::kInt64).to(device);
  scratch_ = torch::full_like(place_of_, -1);
  covered_ = torch::zeros({2}, place_of_.options());
  const float power = options.noise == NoiseLawKind::kUniform ? 0.0F : options.power;
  law_ = std::make_unique<NoiseLaw>(counts, power, excluded, device);
  if (has_own(OwnCandidates::kSubset)) build_subsets(counts);
  if (has_own(OwnCandidates::kNgram)) {
    if (bigrams == nullptr) throw Error("`select ngram`: needs the counts of pairs of words");
    successors_ =
        std::make_unique<SuccessorLaw>(*bigrams, order, excluded, options.candidates, device);
  }
}

bool ShortlistMaker::has_own(OwnCandidates own) const {
  return row_of(options_.method).has_candidates && options_.selection.own == own;
}

void ShortlistMaker::build_subsets(std::span<const std::uint64_t> counts) {
  const std::vector<double> frequencies(counts.begin(), counts.end());
  const ClassTree tree = frequency_tree(frequencies, static_cast<std::uint32_t>(options_.subsets));
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int64_t> members;
  std::vector<std::int64_t> subset_of_class(counts.size());
  const auto add = [&](NodeId leaf, std::size_t subset) {
    const ClassId word = tree.leaf_class(leaf);
    members.push_back(word);
    subset_of_class[word] = static_cast<std::int64_t>(subset);
  };
  for (std::uint32_t i = 0; i < tree.child_count(0); ++i) {
    const NodeId subset = tree.first_child(0) + i;
    if (tree.is_leaf(subset)) add(subset, i);
    for (std::uint32_t k = 0; !tree.is_leaf(subset) && k < tree.child_count(subset); ++k) {
      add(tree.first_child(subset) + k, i);
    }
    offsets.push_back(static_cast<std::int64_t>(members.size()));
  }
  subset_offsets_ = torch::tensor(offsets, torch::kInt64).to(device_);
  subset_classes_ = torch::tensor(members, torch::kInt64).to(device_);
  subset_of_class_ = torch::tensor(subset_of_class, torch::kInt64).to(device_);
}

Tensor ShortlistMaker::masses_of(const Tensor& contexts, const Tensor& words) const {
  const Tensor of_all = at_places(law_->masses(), words);
  return has_successor_noises() ? successors_->masses(contexts, words, of_all) : of_all;
}

/// The labels of the batch as candidates, each word once, without the fixed candidates. A label is
/// a candidate of a token unless all its occurrences are in the token's own stream and not before
/// it: a model of the next word cannot know these, and candidates that reveal the label would make
/// the estimate inconsistent.
struct ShortlistMaker::BatchWords {
  Tensor words;  // [any] int64; kNoWord only on a GPU, where nothing waits for their number
  Tensor seen;   // [tokens, any] bool
};

ShortlistMaker::BatchWords ShortlistMaker::words_of(const FlatBatch& batch) const {
  const std::int64_t tokens = batch.labels.numel();
  const auto [sorted, order] = batch.labels.sort(/*stable=*/true, 0, /*descending=*/false);
  const Tensor stream = order.remainder(batch.streams);
  const Tensor is_other = sorted.slice(0, 1) != sorted.slice(0, 0, -1);
  const Tensor group = torch::constant_pad_nd(is_other.to(torch::kInt64).cumsum(0), {1, 0});
  const Tensor changes = torch::constant_pad_nd(
      (stream.slice(0, 1) != stream.slice(0, 0, -1)).logical_and_(is_other.logical_not()), {1, 0});
  const Tensor time = torch::arange(tokens, order.options());
  const Tensor has_streams =
      torch::zeros_like(order).index_add_(0, group, changes.to(torch::kInt64)) > 0;
  const Tensor begin = torch::searchsorted(group, time);
  const Tensor place = begin.clamp_max(tokens - 1);
  const Tensor word = sorted.index_select(0, place);
  const Tensor is_new = (begin < tokens).logical_and_(place_of_.index_select(0, word) < 0);
  Tensor words = torch::where(is_new, word, kNoWord);
  // The order of equal labels is that of the tokens.
  Tensor after = torch::where(has_streams, kNoWord, order.index_select(0, place));
  if (words.is_cpu()) {
    const Tensor used = is_new.nonzero().squeeze(1);
    words = words.index_select(0, used);
    after = after.index_select(0, used);
  }
  const Tensor token = time.unsqueeze(1);
  const Tensor seen =
      (after < 0)
          .logical_or(after.remainder(batch.streams) != token.remainder(batch.streams))
          .logical_or_(after < token)
          .logical_and_(words >= 0);
  return {words, seen};
}

/// As many words of a subset as there are candidates, or all: one of each of equally many strata of
/// the subset, turned by a random number of places, so that each word comes equally often.
Tensor ShortlistMaker::drawn_from_subsets(const Tensor& chosen, const Tensor& step) const {
  const std::int64_t count = options_.candidates;
  const Tensor begin = subset_offsets_.index_select(0, chosen).unsqueeze(1);
  const Tensor size = subset_offsets_.index_select(0, chosen + 1).unsqueeze(1).sub_(begin);
  const Tensor place = torch::arange(count, chosen.options()).unsqueeze(0);
  const Tensor low = torch::floor_divide(place * size, count);
  const Tensor high = torch::floor_divide((place + 1) * size, count);
  const Tensor in_stratum =
      (uniform_draws(seed_, kInStratum, step, low.sizes()) * (high - low)).to(torch::kInt64);
  const Tensor turn =
      (uniform_draws(seed_, kTurn, step, {low.size(0), 1}) * size).to(torch::kInt64);
  const Tensor all = torch::where(place < size, place, 0);
  const Tensor member =
      torch::where(size > count, (low + in_stratum + turn).remainder(size), all) + begin;
  return at_places(subset_classes_, member).masked_fill_(place >= size, kNoWord);
}

Tensor ShortlistMaker::candidates_of(const FlatBatch& batch, const Tensor& own,
                                     const Tensor& step) const {
  if (has_own(OwnCandidates::kSubset)) return drawn_from_subsets(own, step);
  if (has_own(OwnCandidates::kLowRank)) return own;
  if (has_own(OwnCandidates::kNgram)) return successors_->best().index_select(0, batch.contexts);
  return torch::empty({batch.labels.numel(), 0}, batch.labels.options());
}

Tensor ShortlistMaker::drawn_noises(const FlatBatch& batch, const Tensor& step) const {
  const std::int64_t rows = options_.shared_noises ? 1 : batch.labels.numel();
  const auto uniform = [&](Stream stream) {
    return uniform_draws(seed_, stream, step, {rows, options_.noises});
  };
  const Tensor where = uniform(kWhere);
  const Tensor level = uniform(kLevel);
  const Tensor noises = law_->draw(where, level);
  if (!has_successor_noises()) return noises;
  return successors_->draw(batch.contexts, uniform(kCoin), where, level, noises);
}

/// Puts the words of the tokens and of the batch side by side.
void ShortlistMaker::list(Shortlists& lists, const FlatBatch& batch, const Tensor& own,
                          const Tensor& candidates, const Tensor& noises) const {
  const std::int64_t tokens = batch.labels.numel();
  ListedColumns& listed = lists.listed;
  const bool shared = options_.shared_noises;
  listed.classes = words_;
  listed.noises = options_.noises;
  listed.label_column = shared ? 0 : options_.noises;
  listed.first_candidate = listed.label_column + 1;
  listed.candidates = own.size(1) + candidates.numel();
  listed.first_noise = shared ? listed.first_candidate + listed.candidates : 0;
  const Tensor of_label = batch.labels.view({tokens, 1});
  lists.own = shared ? torch::cat({of_label, own}, 1) : torch::cat({noises, of_label, own}, 1);
  lists.shared = shared ? torch::cat({candidates, noises.view({-1})}) : candidates;
}

/// The noises and the label get log q of the whole law. Methods that draw with the label excluded
/// drop the noises that equal the label.
Shortlists ShortlistMaker::finished_with_labels(const FlatBatch& batch,
                                                const Tensor& noises) const {
  const std::int64_t tokens = batch.labels.numel();
  Shortlists lists;
  list(lists, batch, batch.labels.new_empty({tokens, 0}), batch.labels.new_empty({0}), noises);
  ListedColumns& listed = lists.listed;
  listed.label_at = torch::full_like(batch.labels, listed.label_column);
  listed.label_log_q = law_->masses().index_select(0, batch.labels).log_();
  listed.log_q = at_places(law_->masses(), noises).log_().expand({tokens, listed.noises});
  if (row_of(options_.method).excludes_label) {
    listed.log_q = listed.log_q.masked_fill(noises == batch.labels.unsqueeze(1), kInfinity);
  }
  listed.drawn = (listed.log_q < kInfinity).sum(1).to(torch::kFloat32);
  lists.left_out = listed.drawn == 0;
  return lists;
}

Shortlists ShortlistMaker::finished_with_candidates(const FlatBatch& batch, Tensor own,
                                                    const Tensor& noises) {
  const std::int64_t tokens = batch.labels.numel();
  const std::int64_t fixed = fixed_classes_.numel();
  Shortlists lists;
  lists.fixed = fixed;
  Tensor candidates = fixed_classes_;
  Tensor of_batch;  // the words of the batch, the scratch place for none
  if (options_.selection.batch) {
    const BatchWords words = words_of(batch);
    lists.seen = words.seen;
    candidates = torch::cat({candidates, words.words});
    of_batch = torch::where(words.words < 0, words_, words.words);
    place_of_.index_copy_(0, of_batch,
                          torch::arange(fixed, fixed + of_batch.numel(), of_batch.options()));
  }
  // The place of words [tokens or 1, any] among the shared candidates that a token sees, or -1.
  const auto shared_place = [&](const Tensor& words) {
    const Tensor place = at_places(place_of_, words);
    if (!lists.seen.defined() || lists.seen.size(1) == 0) return place;
    const Tensor all = place.expand({tokens, place.size(1)});
    const Tensor is_seen = lists.seen.gather(1, (all - fixed).clamp_min_(0));
    return torch::where((all < fixed).logical_or_(is_seen), all, -1);
  };
  const Tensor is_none = own < 0;
  own = own.masked_fill(is_none.logical_or_(shared_place(own.clamp_min(0)) >= 0), kNoWord);
  list(lists, batch, own, candidates, noises);
  ListedColumns& listed = lists.listed;

  Tensor inside = torch::zeros({tokens}, law_->masses().options());
  Tensor count = torch::full({tokens}, fixed, own.options());
  const auto take = [&](const Tensor& words, const Tensor& used) {
    inside.add_((masses_of(batch.contexts, words.clamp_min(0)) * used).sum(1));
    count.add_(used.sum(1));
  };
  if (own.size(1) > 0) take(own, own >= 0);
  if (lists.seen.defined()) take(candidates.slice(0, fixed).unsqueeze(0), lists.seen);
  constexpr float kLeast = std::numeric_limits<float>::epsilon();
  const Tensor log_outside = (1.0 - inside).clamp_min_(kLeast).log_().unsqueeze(1);
  const auto log_q_of = [&](const Tensor& words, const Tensor& is_inside) {
    return (masses_of(batch.contexts, words).log() - log_outside)
        .masked_fill_(is_inside, kInfinity);
  };

  const Tensor drawn = noises.clamp_min(0);
  Tensor is_candidate = (noises < 0).logical_or(shared_place(drawn) >= 0);
  if (own.size(1) > 0) is_candidate = is_candidate.logical_or(among_own(own, drawn));
  listed.log_q = log_q_of(drawn, is_candidate);
  listed.drawn = (listed.log_q < kInfinity).sum(1).to(torch::kFloat32);
  const Tensor lacks_noises = (listed.drawn == 0).logical_and_(count < words_);
  lists.left_out = lacks_noises.logical_or_(count == 0);

  const Tensor label = batch.labels.unsqueeze(1);
  const Tensor shared = shared_place(label);
  Tensor label_at = torch::where(shared >= 0, shared + (listed.first_candidate + own.size(1)),
                                 listed.label_column);
  if (own.size(1) > 0) {
    const auto [matches, place] = (own == label).to(torch::kInt64).max(1, true);
    label_at = torch::where(matches > 0, place + listed.first_candidate, label_at);
  }
  const Tensor is_inside = label_at != listed.label_column;
  listed.label_at = label_at.squeeze(1);
  listed.label_log_q = log_q_of(label, is_inside).squeeze(1);
  lists.own.select(1, listed.label_column).masked_fill_(is_inside.squeeze(1), kNoWord);
  covered_.add_(torch::stack({is_inside.sum(), torch::full({}, tokens, own.options())}));
  if (of_batch.defined()) place_of_.index_fill_(0, of_batch, -1);
  return lists;
}

Tensor ShortlistMaker::among_own(const Tensor& own, const Tensor& words) const {
  if (words.size(0) == own.size(0)) return (words.unsqueeze(2) == own.unsqueeze(1)).any(2);
  // Words that all tokens share: each token marks its candidates among them.
  const PlacesAmong places(scratch_, words.view({-1}));
  const Tensor marked = places.of(torch::where(own < 0, words_, own));
  Tensor marks = torch::zeros({own.size(0), words.numel() + 1}, own.options().dtype(torch::kBool));
  marks.scatter_(1, marked.add_(1), true);
  return marks.index_select(1, places.of(words.view({-1})).add_(1));
}

Shortlists ShortlistMaker::make(const FlatBatch& batch, const Tensor& own, const Tensor& step) {
  return make_with_noises(batch, own, step, drawn_noises(batch, step));
}

Shortlists ShortlistMaker::make_with_noises(const FlatBatch& batch, const Tensor& own,
                                            const Tensor& step, const Tensor& noises) {
  const torch::NoGradGuard no_gradient;
  const Tensor rows = noises.view({-1, options_.noises});
  if (!row_of(options_.method).has_candidates) return finished_with_labels(batch, rows);
  return finished_with_candidates(batch, candidates_of(batch, own, step), rows);
}

double ShortlistMaker::take_coverage() {
  const Tensor counts = covered_.to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true);
  covered_.zero_();
  const auto tokens = counts[1].item<double>();
  return tokens == 0.0 ? -1.0 : counts[0].item<double>() / tokens;
}

}  // namespace cane::lm
