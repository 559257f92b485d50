#include "train/classes/shard_slice.h"

#include <algorithm>
#include <limits>

#include "core/simd/softmax_kernels.h"
#include "search/low_rank_proposal.h"
#include "train/classes/shard_tables.h"

namespace cane {
namespace {

// A shard has its part of these classes, by chance a few more, and many more if neighbours in the
// numbering of the classes are alike: these are in one block.
std::uint32_t most_of_shard(std::uint32_t classes, std::uint32_t shards) {
  constexpr std::uint64_t kMore = 8;
  const std::uint64_t most = 2 * std::uint64_t{classes} / shards + kMore;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(classes, most));
}

}  // namespace

ShardWidths::ShardWidths(std::uint32_t whole_width, std::uint32_t whole_keep, std::uint32_t shards)
    : width(most_of_shard(whole_width, shards)), keep(most_of_shard(whole_keep, shards)) {}

ShardSlice::ShardSlice(const ShardTables& tables, std::uint32_t own, TrainState& state)
    : shards_(tables.shards),
      shard_(tables.own.begin + own),
      class_table_(tables.classes(own)),
      classes_(shards_.size(shard_), tables.layout(class_table_),
               state.weights[class_table_].data()),
      proposal_(shards_.size(shard_), tables.layout(tables.proposal(own)),
                state.weights[tables.proposal(own)].data()),
      class_gradient_(classes_.layout()),
      proposal_gradient_(proposal_.layout()) {}

void ShardSlice::search(std::span<const RowView> rows, std::span<const RowView> projected,
                        std::span<const ClassId> labels, const ShardWidths& widths) {
  rows_ = rows;
  projected_ = projected;
  listed_.clear();
  heads_.assign(rows.size(), {.base = -std::numeric_limits<float>::infinity()});
  if (is_empty()) return;
  masses_.resize(rows.size() * proposal_.all_pitch());
  outside_.resize(std::max(outside_.size(), rows.size()));
  proposal_.score_all(projected, scratch_, proposal_.all_pitch(), masses_.data());
  lists_.clear();
  for (std::size_t e = 0; e < rows.size(); ++e) {
    const auto best = top_.approximate_top_k(masses(e), classes_.classes(), widths.width);
    lists_.classes.insert(lists_.classes.end(), best.begin(), best.end());
    lists_.end_list();
  }
  scores_.resize(lists_.classes.size());
  classes_.score(rows, lists_, scratch_, scores_.data());
  selection_.clear();
  rerank(lists_, scores_, widths.keep, selection_);

  lists_.clear();
  for (const ClassId label : labels) {
    if (label != kUnknownClass && shards_.shard_of(label) == shard_) {
      lists_.classes.push_back(shards_.local(label));
    }
    lists_.end_list();
  }
  scores_.resize(lists_.classes.size());
  classes_.score(rows, lists_, scratch_, scores_.data());
  for (std::uint32_t e = 0; e < rows.size(); ++e) {
    const auto own = lists_.of(e);
    report(e, own.empty() ? kUnknownClass : own.front(),
           own.empty() ? 0.0F : scores_[lists_.starts[e]]);
  }
}

void ShardSlice::report(std::uint32_t example, ClassId label, float label_score) {
  const std::span<float> values = masses(example);
  ShardHead& head = heads_[example];
  head.base = max_of(values.data(), classes_.classes());
  exp_and_sum(values.data(), values.size(), head.base, values.data());
  excluded_.clear();
  for (const Candidate& found : selection_.of(example)) {
    listed_.push_back(
        {shards_.global(shard_, found.class_id), found.score, values[found.class_id]});
    excluded_.push_back(found.class_id);
  }
  std::sort(excluded_.begin(), excluded_.end());
  head.listed = static_cast<std::uint32_t>(excluded_.size());
  head.rest = outside_[example].prepare(values, excluded_);
  if (label == kUnknownClass) return;
  head.label_score = label_score;
  head.label_mass = values[label];
}

void ShardSlice::answer(std::span<const NoiseQuestion> questions,
                        std::vector<ListedClass>& answers) {
  const std::size_t begin = answers.size();
  lists_.clear();
  for (const NoiseQuestion& question : questions) {
    if (question.shard != shard_) continue;
    while (lists_.size() < question.example) lists_.end_list();
    const float* values = masses(question.example).data();
    const ClassId local = question.class_id == kUnknownClass
                              ? outside_[question.example].draw(values, question.u)
                              : shards_.local(question.class_id);
    lists_.classes.push_back(local);
    answers.push_back({shards_.global(shard_, local), 0.0F, values[local]});
  }
  while (lists_.size() < rows_.size()) lists_.end_list();
  scores_.resize(lists_.classes.size());
  classes_.score(rows_, lists_, scratch_, scores_.data());
  for (std::size_t i = 0; i < scores_.size(); ++i) answers[begin + i].score = scores_[i];
}

void ShardSlice::begin_gradients() {
  class_gradient_.clear();
  proposal_gradient_.clear();
  gradients_.assign({{class_table_, &class_gradient_, rows_, true},
                     {class_table_ + 1, &proposal_gradient_, projected_, true}});
}

void ShardSlice::add_steps(std::uint32_t example, const ShortlistSteps& steps) {
  own_.clear();
  own_gradient_.clear();
  for (std::size_t i = 0; i < steps.classes.size(); ++i) {
    if (shards_.shard_of(steps.classes[i]) != shard_) continue;
    own_.push_back(shards_.local(steps.classes[i]));
    own_gradient_.push_back(steps.gradient[i]);
  }
  class_gradient_.add(example, own_, own_gradient_, steps.scale);
}

void ShardSlice::learn(std::uint32_t example, ClassId label, float scale, double total,
                       float* inputs) {
  const float* values = is_empty() ? nullptr : masses(example).data();
  const auto per_mass = static_cast<float>(static_cast<double>(scale) / total);
  const ClassId own = shards_.shard_of(label) == shard_ ? shards_.local(label) : kUnknownClass;
  add_likelihood_steps(proposal_, example, values, per_mass, own, scale, proposal_gradient_,
                       inputs);
}

void ShardSlice::back(std::span<const std::uint32_t> places, float* steps) const {
  const BlockLayout& layout = classes_.layout();
  for (std::size_t part = 0; part < class_gradient_.parts().size(); ++part) {
    const auto [example, node] = class_gradient_.parts()[part];
    const BackTask task = {class_gradient_.steps(part),
                           steps + std::size_t{places[example]} * layout.dimension()};
    back_block(classes_.weights().floats() + layout.offset(node), layout.shape(node),
               std::span(&task, 1));
  }
}

}  // namespace cane
