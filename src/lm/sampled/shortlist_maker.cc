#include "lm/sampled/shortlist_maker.h"

#include <algorithm>
#include <numeric>

#include "cane/error.h"
#include "core/tree/frequency_tree.h"
#include "layer/dispatch.h"

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

std::int32_t* classes_of(const torch::Tensor& tensor) {
  return tensor.data_ptr<std::int32_t>();
}

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
  std::vector<std::int32_t> columns(counts.size(), kernels::kNoColumn);
  std::vector<std::int64_t> fixed_classes(order.begin(),
                                          order.begin() + static_cast<std::ptrdiff_t>(fixed));
  // Sorted in the order of the table, so that their rows are read front to back.
  std::sort(fixed_classes.begin(), fixed_classes.end());
  for (std::size_t i = 0; i < fixed; ++i) {
    const auto word = static_cast<std::size_t>(fixed_classes[i]);
    excluded[word] = true;
    columns[word] = static_cast<std::int32_t>(i);
  }
  fixed_classes_ = torch::tensor(fixed_classes, torch::kInt64).to(device);
  column_of_class_ = torch::tensor(columns, torch::kInt32).to(device);
  const auto integers = torch::TensorOptions().device(device).dtype(torch::kInt32);
  shared_classes_ = torch::full({shape_for(1).shared_columns()}, kernels::kNoClass, integers);
  shared_classes_.narrow(0, 0, fixed_classes_.numel()).copy_(fixed_classes_);
  covered_ = torch::zeros({2}, integers.dtype(torch::kInt64));
  const float power = options.noise == NoiseLawKind::kUniform ? 0.0F : options.power;
  law_ = std::make_unique<layer::NoiseLaw>(counts, power, excluded, device);
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
  std::vector<std::int32_t> subset_of_class(counts.size());
  const auto add = [&](NodeId leaf, std::size_t subset) {
    const ClassId word = tree.leaf_class(leaf);
    members.push_back(static_cast<std::int32_t>(word));
    subset_of_class[word] = static_cast<std::int32_t>(subset);
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
  subset_classes_ = torch::tensor(members, torch::kInt32).to(device_);
  subset_of_class_ = torch::tensor(subset_of_class, torch::kInt32).to(device_);
}

kernels::LawView ShortlistMaker::law() const {
  kernels::LawView view = law_->view();
  if (options_.noise == NoiseLawKind::kNgram) view.successors = successors_->view();
  return view;
}

kernels::ShortlistShape ShortlistMaker::shape_for(std::int64_t tokens) const {
  kernels::ShortlistShape shape;
  shape.examples = tokens;
  const bool has_own =
      row_of(options_.method).has_candidates && options_.selection.own != OwnCandidates::kNone;
  shape.own_candidates = has_own ? options_.candidates : 0;
  shape.shared_candidates = fixed_classes_.numel();
  (options_.shared_noises ? shape.shared_noises : shape.own_noises) = options_.noises;
  return shape;
}

layer::Shortlists ShortlistMaker::begin(const FlatBatch& batch, const torch::Tensor& own,
                                        const torch::Tensor& step) {
  const auto integers = torch::TensorOptions().device(device_).dtype(torch::kInt32);
  layer::Shortlists lists;
  lists.streams = batch.streams;
  lists.shape = shape_for(batch.labels.numel());
  kernels::ShortlistShape& shape = lists.shape;
  const std::int64_t fixed = fixed_classes_.numel();
  lists.fixed = fixed;

  torch::Tensor batch_classes;
  if (row_of(options_.method).has_candidates && options_.selection.batch) {
    batch_classes = torch::empty({shape.examples}, integers);
    const torch::Tensor visible = torch::empty({shape.examples}, integers);
    kernels::BatchClassArguments task;
    task.examples = shape.examples;
    task.streams = batch.streams;
    task.first_column = static_cast<std::int32_t>(fixed);
    task.labels = batch.labels.data_ptr<std::int64_t>();
    task.column_of_class = classes_of(column_of_class_);
    task.classes = classes_of(batch_classes);
    task.visible_after = classes_of(visible);
    const std::int64_t count = layer::on_device::collect_batch_classes(task, device_);
    shape.shared_candidates += count;
    batch_classes = batch_classes.narrow(0, 0, count);
    lists.visible_after = visible.narrow(0, 0, count);
  }
  if (batch_classes.defined()) {
    lists.shared_classes = torch::full({shape.shared_columns()}, kernels::kNoClass, integers);
    lists.shared_classes.narrow(0, 0, fixed).copy_(fixed_classes_);
    lists.shared_classes.narrow(0, fixed, batch_classes.numel()).copy_(batch_classes);
  } else {
    lists.shared_classes = shared_classes_.clone();
  }
  // Every place is written below, by the draws or when the lists are completed.
  lists.own_classes = torch::empty({shape.examples, shape.own_classes()}, integers);
  if (shape.own_candidates == 0) return lists;

  const torch::Tensor places = lists.own_classes.narrow(1, 0, shape.own_candidates);
  if (options_.selection.own == OwnCandidates::kNgram) {
    places.copy_(successors_->best().index_select(0, batch.contexts));
  } else if (options_.selection.own == OwnCandidates::kLowRank) {
    places.copy_(own);
  } else {
    kernels::SubsetArguments task;
    task.shape = shape;
    task.subsets = {subset_offsets_.data_ptr<std::int64_t>(), classes_of(subset_classes_)};
    task.seed = seed_;
    task.step = step.data_ptr<std::int64_t>();
    task.chosen = own.data_ptr<std::int64_t>();
    task.own_classes = classes_of(lists.own_classes);
    layer::on_device::draw_subset_candidates(task, device_);
  }
  return lists;
}

void ShortlistMaker::draw_noises(layer::Shortlists& lists, const FlatBatch& batch,
                                 const torch::Tensor& step) const {
  kernels::DrawArguments task;
  task.shape = lists.shape;
  task.law = law();
  task.seed = seed_;
  task.step = step.data_ptr<std::int64_t>();
  task.contexts = batch.contexts.data_ptr<std::int64_t>();
  task.own_classes = classes_of(lists.own_classes);
  task.shared_classes = classes_of(lists.shared_classes);
  if (lists.shape.shared_noises > 0) layer::on_device::draw_shared_noises(task, device_);
  if (lists.shape.own_noises > 0) layer::on_device::draw_own_noises(task, device_);
}

void ShortlistMaker::finish(layer::Shortlists& lists, const FlatBatch& batch) {
  const auto options = torch::TensorOptions().device(device_);
  const std::int64_t tokens = lists.shape.examples;
  lists.log_q = torch::empty({tokens, 1 + lists.shape.noises()}, options.dtype(torch::kFloat32));
  lists.label_at = torch::empty({tokens}, options.dtype(torch::kInt32));
  lists.drawn = torch::empty({tokens}, options.dtype(torch::kInt32));
  kernels::AssembleArguments task;
  task.candidates = lists.candidates();
  task.candidates.column_of_class = classes_of(column_of_class_);
  task.classes = words_;
  task.labels = batch.labels.data_ptr<std::int64_t>();
  task.contexts = batch.contexts.data_ptr<std::int64_t>();
  task.own_classes = classes_of(lists.own_classes);
  task.shared_classes = classes_of(lists.shared_classes);
  task.law = law();
  task.log_q = lists.log_q.data_ptr<float>();
  task.label_at = classes_of(lists.label_at);
  task.drawn = classes_of(lists.drawn);
  task.covered = covered_.data_ptr<std::int64_t>();
  if (const MethodRow& method = row_of(options_.method); !method.has_candidates) {
    layer::on_device::assemble_labels(task, method.excludes_label, device_);
    return;
  }
  layer::on_device::assemble(task, device_);
  if (options_.selection.batch) {
    const std::int64_t fixed = fixed_classes_.numel();
    kernels::BatchClassArguments forget;
    forget.classes = classes_of(lists.shared_classes) + fixed;
    forget.column_of_class = classes_of(column_of_class_);
    layer::on_device::forget_batch_classes(forget, lists.shape.shared_candidates - fixed, device_);
  }
}

layer::Shortlists ShortlistMaker::make(const FlatBatch& batch, const torch::Tensor& own,
                                       const torch::Tensor& step) {
  layer::Shortlists lists = begin(batch, own, step);
  draw_noises(lists, batch, step);
  finish(lists, batch);
  return lists;
}

layer::Shortlists ShortlistMaker::make_with_noises(const FlatBatch& batch, const torch::Tensor& own,
                                                   const torch::Tensor& step,
                                                   const torch::Tensor& noises) {
  layer::Shortlists lists = begin(batch, own, step);
  const kernels::ShortlistShape& shape = lists.shape;
  if (shape.shared_noises > 0) {
    lists.shared_classes.narrow(0, shape.shared_candidates + 1, shape.shared_noises).copy_(noises);
  } else {
    lists.own_classes.narrow(1, shape.own_candidates + 1, shape.own_noises).copy_(noises);
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
