#include "lm/sampled/shortlist_maker.h"

#include <algorithm>
#include <numeric>

#include "cane/error.h"
#include "core/tree/frequency_tree.h"
#include "lm/sampled/dispatch.h"

namespace cane::lm {
namespace {

std::vector<std::int32_t> by_frequency(std::span<const std::uint64_t> counts) {
  std::vector<std::int32_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
  });
  return order;
}

std::int32_t* words_of(const torch::Tensor& tensor) {
  return tensor.data_ptr<std::int32_t>();
}

}  // namespace

CandidateView Shortlists::candidates() const {
  CandidateView view;
  view.shape = shape;
  view.streams = streams;
  view.fixed = fixed;
  view.token_words = words_of(token_words);
  if (visible_after.defined()) view.visible_after = words_of(visible_after);
  return view;
}

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
  std::vector<std::int32_t> columns(counts.size(), kNoColumn);
  std::vector<std::int64_t> fixed_words(order.begin(),
                                        order.begin() + static_cast<std::ptrdiff_t>(fixed));
  // Sorted in the order of the table, so that their rows are read front to back.
  std::sort(fixed_words.begin(), fixed_words.end());
  for (std::size_t i = 0; i < fixed; ++i) {
    const auto word = static_cast<std::size_t>(fixed_words[i]);
    excluded[word] = true;
    columns[word] = static_cast<std::int32_t>(i);
  }
  fixed_words_ = torch::tensor(fixed_words, torch::kInt64).to(device);
  column_of_word_ = torch::tensor(columns, torch::kInt32).to(device);
  const auto integers = torch::TensorOptions().device(device).dtype(torch::kInt32);
  shared_words_ = torch::full({shape_for(1).shared_columns()}, kNoWord, integers);
  shared_words_.narrow(0, 0, fixed_words_.numel()).copy_(fixed_words_);
  covered_ = torch::zeros({2}, integers.dtype(torch::kInt64));
  const float power = options.noise == NoiseLawKind::kUniform ? 0.0F : options.power;
  law_ = std::make_unique<NoiseLaw>(counts, power, excluded, device);
  if (!has_candidates) return;
  if (options.selection.own == OwnCandidates::kSubset) build_subsets(counts);
  if (options.selection.own == OwnCandidates::kNgram) {
    if (bigrams == nullptr) throw Error("`select ngram`: needs the counts of pairs of words");
    successors_ =
        std::make_unique<SuccessorLaw>(*bigrams, order, excluded, options.candidates, device);
  }
}

void ShortlistMaker::build_subsets(std::span<const std::uint64_t> counts) {
  const std::vector<double> frequencies(counts.begin(), counts.end());
  const ClassTree tree = frequency_tree(frequencies, static_cast<std::uint32_t>(options_.subsets));
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> members;
  std::vector<std::int32_t> subset_of_word(counts.size());
  const auto add = [&](NodeId leaf, std::size_t subset) {
    const ClassId word = tree.leaf_class(leaf);
    members.push_back(static_cast<std::int32_t>(word));
    subset_of_word[word] = static_cast<std::int32_t>(subset);
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
  subset_words_ = torch::tensor(members, torch::kInt32).to(device_);
  subset_of_word_ = torch::tensor(subset_of_word, torch::kInt32).to(device_);
}

LawView ShortlistMaker::law() const {
  LawView view = law_->view();
  if (options_.noise == NoiseLawKind::kNgram) view.successors = successors_->view();
  return view;
}

ShortlistShape ShortlistMaker::shape_for(std::int64_t tokens) const {
  ShortlistShape shape;
  shape.tokens = tokens;
  const bool has_own =
      row_of(options_.method).has_candidates && options_.selection.own != OwnCandidates::kNone;
  shape.token_candidates = has_own ? options_.candidates : 0;
  shape.shared_candidates = fixed_words_.numel();
  (options_.shared_noises ? shape.shared_noises : shape.token_noises) = options_.noises;
  return shape;
}

Shortlists ShortlistMaker::begin(const FlatBatch& batch, const torch::Tensor& own,
                                 const torch::Tensor& step) {
  const auto integers = torch::TensorOptions().device(device_).dtype(torch::kInt32);
  Shortlists lists;
  lists.streams = batch.streams;
  lists.shape = shape_for(batch.labels.numel());
  ShortlistShape& shape = lists.shape;
  const std::int64_t fixed = fixed_words_.numel();
  lists.fixed = fixed;

  torch::Tensor batch_words;
  if (row_of(options_.method).has_candidates && options_.selection.batch) {
    batch_words = torch::empty({shape.tokens}, integers);
    const torch::Tensor visible = torch::empty({shape.tokens}, integers);
    BatchWordArguments task;
    task.tokens = shape.tokens;
    task.streams = batch.streams;
    task.first_column = static_cast<std::int32_t>(fixed);
    task.labels = batch.labels.data_ptr<std::int64_t>();
    task.column_of_word = words_of(column_of_word_);
    task.words = words_of(batch_words);
    task.visible_after = words_of(visible);
    const std::int64_t count = on_device::collect_batch_words(task, device_);
    shape.shared_candidates += count;
    batch_words = batch_words.narrow(0, 0, count);
    lists.visible_after = visible.narrow(0, 0, count);
  }
  if (batch_words.defined()) {
    lists.shared_words = torch::full({shape.shared_columns()}, kNoWord, integers);
    lists.shared_words.narrow(0, 0, fixed).copy_(fixed_words_);
    lists.shared_words.narrow(0, fixed, batch_words.numel()).copy_(batch_words);
  } else {
    lists.shared_words = shared_words_.clone();
  }
  // Every place is written below, by the draws or when the lists are completed.
  lists.token_words = torch::empty({shape.tokens, shape.token_words()}, integers);
  if (shape.token_candidates == 0) return lists;

  const torch::Tensor places = lists.token_words.narrow(1, 0, shape.token_candidates);
  if (options_.selection.own == OwnCandidates::kNgram) {
    places.copy_(successors_->best().index_select(0, batch.contexts));
  } else if (options_.selection.own == OwnCandidates::kLowRank) {
    places.copy_(own);
  } else {
    SubsetArguments task;
    task.shape = shape;
    task.subsets = {subset_offsets_.data_ptr<std::int64_t>(), words_of(subset_words_)};
    task.seed = seed_;
    task.step = step.data_ptr<std::int64_t>();
    task.chosen = own.data_ptr<std::int64_t>();
    task.token_words = words_of(lists.token_words);
    on_device::draw_subset_candidates(task, device_);
  }
  return lists;
}

void ShortlistMaker::draw_noises(Shortlists& lists, const FlatBatch& batch,
                                 const torch::Tensor& step) const {
  DrawArguments task;
  task.shape = lists.shape;
  task.law = law();
  task.seed = seed_;
  task.step = step.data_ptr<std::int64_t>();
  task.contexts = batch.contexts.data_ptr<std::int64_t>();
  task.token_words = words_of(lists.token_words);
  task.shared_words = words_of(lists.shared_words);
  if (lists.shape.shared_noises > 0) on_device::draw_shared_noises(task, device_);
  if (lists.shape.token_noises > 0) on_device::draw_token_noises(task, device_);
}

void ShortlistMaker::finish(Shortlists& lists, const FlatBatch& batch) {
  const auto options = torch::TensorOptions().device(device_);
  const std::int64_t tokens = lists.shape.tokens;
  lists.log_q = torch::empty({tokens, 1 + lists.shape.noises()}, options.dtype(torch::kFloat32));
  lists.label_at = torch::empty({tokens}, options.dtype(torch::kInt32));
  lists.drawn = torch::empty({tokens}, options.dtype(torch::kInt32));
  AssembleArguments task;
  task.candidates = lists.candidates();
  task.candidates.column_of_word = words_of(column_of_word_);
  task.words = words_;
  task.labels = batch.labels.data_ptr<std::int64_t>();
  task.contexts = batch.contexts.data_ptr<std::int64_t>();
  task.token_words = words_of(lists.token_words);
  task.shared_words = words_of(lists.shared_words);
  task.law = law();
  task.log_q = lists.log_q.data_ptr<float>();
  task.label_at = words_of(lists.label_at);
  task.drawn = words_of(lists.drawn);
  task.covered = covered_.data_ptr<std::int64_t>();
  if (const MethodRow& method = row_of(options_.method); !method.has_candidates) {
    on_device::assemble_labels(task, method.excludes_label, device_);
    return;
  }
  on_device::assemble(task, device_);
  if (options_.selection.batch) {
    const std::int64_t fixed = fixed_words_.numel();
    BatchWordArguments forget;
    forget.words = words_of(lists.shared_words) + fixed;
    forget.column_of_word = words_of(column_of_word_);
    on_device::forget_batch_words(forget, lists.shape.shared_candidates - fixed, device_);
  }
}

Shortlists ShortlistMaker::make(const FlatBatch& batch, const torch::Tensor& own,
                                const torch::Tensor& step) {
  Shortlists lists = begin(batch, own, step);
  draw_noises(lists, batch, step);
  finish(lists, batch);
  return lists;
}

Shortlists ShortlistMaker::make_with_noises(const FlatBatch& batch, const torch::Tensor& own,
                                            const torch::Tensor& step,
                                            const torch::Tensor& noises) {
  Shortlists lists = begin(batch, own, step);
  const ShortlistShape& shape = lists.shape;
  if (shape.shared_noises > 0) {
    lists.shared_words.narrow(0, shape.shared_candidates + 1, shape.shared_noises).copy_(noises);
  } else {
    lists.token_words.narrow(1, shape.token_candidates + 1, shape.token_noises).copy_(noises);
  }
  finish(lists, batch);
  return lists;
}

double ShortlistMaker::take_coverage() {
  const torch::Tensor counts = covered_.to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true);
  covered_.zero_();
  const auto tokens = counts[1].item<double>();
  return tokens == 0.0 ? -1.0 : counts[0].item<double>() / tokens;
}

}  // namespace cane::lm
