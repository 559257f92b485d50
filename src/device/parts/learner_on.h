// The learner on any backend: the order of a step, and its memory. All memory is taken when it is
// made. A step reads its examples, encodes them, lets the part of the method learn, and learns the
// encoder from the gradient that this part leaves.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "device/parts/check_spec.h"
#include "device/parts/data_store.h"
#include "device/parts/shortlist_layer.h"
#include "device/plain/stats.h"

namespace cane::device {

template <typename Backend>
class LearnerOn final : public Learner {
 public:
  /// `most_scores`: scores of a softmax that are kept at once. `arguments` make the backend.
  template <typename... Arguments>
  LearnerOn(const LearnerSpec& spec, std::uint64_t most_scores, Arguments&&... arguments)
      : spec_((check_spec(spec), spec)),
        backend_(std::forward<Arguments>(arguments)...),
        constants_(backend_, 2),
        arguments_(backend_, kExamplesAt + std::uint64_t{spec.batch} * sizeof(std::uint32_t)),
        totals_(backend_, 1),
        results_(backend_, std::uint64_t{3} * spec.batch),
        batch_(backend_, spec, is_written_out()) {
    const float constants[] = {0.0F, 1.0F};
    backend_.copy_in(constants_.data(), 2, constants, 2, 2, 1);
    copy_tree(spec.tree);
    for (std::size_t i = 0; i < kTables; ++i) {
      tables_[i] = TableStore<Backend>(backend_, spec, static_cast<Table>(i), minus_rates());
    }
    if (spec.kept_examples > 0) {
      kept_ = RowStore<Backend>(backend_, spec, spec.kept_examples, spec.kept_values, false);
    } else {
      for (std::uint32_t slot = 0; slot < kBuffers; ++slot) {
        buffers_[slot] = SharedBuffer<Backend>(backend_, spec);
        streamed_[slot] = RowStore<Backend>(backend_, spec, spec.batch, spec.batch_values, true);
      }
    }
    make_parts(most_scores);
    spec_.noise_masses = nullptr;
    spec_.tree = {};
  }

  ~LearnerOn() override {
    // Memory of the host must not be freed while it is copied; earlier errors were reported.
    try {
      backend_.wait();
    } catch (const std::runtime_error&) {
    }
  }

  void upload(Table table, std::span<const float> values) override {
    store(table).upload(backend_, values);
  }
  void download(Table table, std::span<float> values) override {
    store(table).download(backend_, values);
  }
  void upload_state(Table table, std::span<const float> values) override {
    store(table).upload_state(backend_, values);
  }
  void download_state(Table table, std::span<float> values) override {
    store(table).download_state(backend_, values);
  }

  void keep_data(const HostRows& rows) override {
    HostRows all = rows;
    std::vector<float> ones;
    if (rows.weights == nullptr) {
      ones.assign(spec_.kept_examples, 1.0F);
      all.weights = ones.data();
    }
    if (spec_.is_sparse && rows.offsets[spec_.kept_examples] != spec_.kept_values) {
      throw std::runtime_error(
          "the data has another number of values than the device has room for");
    }
    kept_.fill(spec_, all, nullptr, spec_.kept_examples,
               [&](auto* to, const auto* from, std::uint64_t count) {
                 backend_.copy_in(to, count, from, count, count, 1);
               });
  }

  void step(std::span<const std::uint32_t> examples, const StepOptions& options) override {
    check_count(examples.size());
    send_arguments(static_cast<std::uint32_t>(examples.size()), options, examples.data());
    run(kept_.rows(spec_), reinterpret_cast<std::uint32_t*>(arguments_.data() + kExamplesAt), 0);
  }

  BatchBuffer next_buffer() override {
    backend_.wait_buffer(next_);
    return buffers_[next_].buffer();
  }

  void step_buffer(std::uint32_t count, const StepOptions& options) override {
    check_count(count);
    backend_.begin_buffer(next_);
    streamed_[next_].fill(spec_, buffers_[next_].rows(), buffers_[next_].buffer().numbers, count,
                          [&](auto* to, const auto* from, std::uint64_t numbers) {
                            backend_.send(to, from, numbers);
                          });
    backend_.end_buffer(next_);
    send_arguments(count, options, nullptr);
    run(streamed_[next_].rows(spec_), nullptr, 1 + next_);
    backend_.buffer_used(next_);
    next_ = (next_ + 1) % kBuffers;
  }

  LearnerStats take_stats() override {
    Totals totals;
    backend_.copy_out(&totals, 1, totals_.data(), 1, 1, 1);
    const Totals zero;
    backend_.copy_in(totals_.data(), 1, &zero, 1, 1, 1);
    return {totals.loss, totals.weight, totals.examples, static_cast<std::uint64_t>(totals.covered),
            static_cast<std::uint64_t>(totals.scored)};
  }

  Backend& backend() { return backend_; }
  const ShortlistLayer<Backend>& shortlists() const { return *shortlists_; }

 private:
  // Where the numbers of the examples begin, after the state of the step.
  static constexpr std::uint64_t kExamplesAt = 64;
  static_assert(sizeof(StepState) <= kExamplesAt);

  // The softmax multiplies all features at once.
  bool is_written_out() const {
    return !spec_.is_sparse || (row_of(spec_.method).trains_all_classes && spec_.encoder_dim == 0);
  }
  StepState* state() const { return reinterpret_cast<StepState*>(arguments_.data()); }
  const float* minus_rates() const {
    return reinterpret_cast<const float*>(arguments_.data() + offsetof(StepState, minus_rate));
  }
  TableStore<Backend>& store(Table table) { return tables_[static_cast<std::size_t>(table)]; }

  StepContext<Backend> context() {
    const std::uint64_t batch = spec_.batch;
    float* results = results_.data();
    return {backend_,
            spec_.batch,
            batch_.view(state(), spec_.seed),
            {results, results + batch, results + 2 * batch},
            constants_.data(),
            constants_.data() + 1};
  }

  void copy_tree(const TreeArrays& tree) {
    if (tree.nodes == 0) return;
    tree_.nodes = tree.nodes;
    tree_.depth = tree.depth;
    tree_.arity = tree.arity;
    const auto copy = [&](const std::uint32_t* from, std::uint64_t count) {
      tree_arrays_.push_back(copied(backend_, from, count));
      return tree_arrays_.back().data();
    };
    tree_.child_counts = copy(tree.child_counts, tree.nodes);
    tree_.first_children = copy(tree.first_children, tree.nodes);
    tree_.parents = copy(tree.parents, tree.nodes);
    tree_.leaf_classes = copy(tree.leaf_classes, tree.nodes);
    tree_.leaves = copy(tree.leaves, spec_.classes);
  }

  void make_parts(std::uint64_t most_scores) {
    const bool has_sparse_rows = !is_written_out();
    if (spec_.encoder_dim > 0) {
      encoder_.emplace(backend_, store(Table::kEncoder).embeddings(), spec_.batch,
                       has_sparse_rows ? spec_.batch_values : 0);
    }
    const RowTable classes = store(Table::kClasses).rows();
    const MethodRow& method = row_of(spec_.method);
    if (method.is_hierarchical) {
      paths_.emplace(backend_, classes, tree_, spec_.batch,
                     has_sparse_rows && spec_.encoder_dim == 0);
    } else if (method.trains_all_classes) {
      blocks_ = ScoreBlocks<Backend>(backend_, spec_.classes, spec_.batch, most_scores);
      softmax_.emplace(backend_, classes, blocks_, spec_.batch);
    } else {
      const bool is_cane = method.has_candidates;
      shortlists_.emplace(backend_, spec_, classes,
                          is_cane ? store(Table::kProjection).embeddings() : EmbeddingTable{},
                          is_cane ? store(Table::kProposal).rows() : RowTable{}, tree_,
                          has_sparse_rows && spec_.encoder_dim == 0, most_scores);
    }
  }

  void check_count(std::uint64_t count) const {
    if (count == 0 || count > spec_.batch) {
      throw std::runtime_error("a step has more examples than the `batch` of its learner, or none");
    }
  }

  void send_arguments(std::uint32_t count, const StepOptions& options,
                      const std::uint32_t* examples) {
    StepState step;
    step.count = count;
    step.epoch = options.epoch;
    step.decay = 1.0F - options.rate * spec_.l2;
    for (std::size_t i = 0; i < kTables; ++i) {
      step.minus_rate[i] = -options.rate * spec_.tables[i].rate_scale;
    }
    const std::uint64_t listed = examples == nullptr ? 0 : count * sizeof(std::uint32_t);
    auto* bytes = static_cast<std::byte*>(backend_.arguments(kExamplesAt + listed));
    std::memcpy(bytes, &step, sizeof(step));
    if (examples != nullptr) std::memcpy(bytes + kExamplesAt, examples, listed);
    backend_.send_arguments(arguments_.data(), kExamplesAt + listed);
  }

  void run(const SourceRows& source, const std::uint32_t* examples, std::uint32_t key) {
    backend_.repeat(key, [&] {
      const StepContext<Backend> step = context();
      const Rows rows = batch_.gather(step, source, examples);
      Rows inputs = rows;
      float* gradient = nullptr;
      std::uint64_t pitch = 0;
      if (encoder_) {
        encoder_->forward(step, rows);
        inputs = encoder_->outputs();
        gradient = encoder_->gradient();
        pitch = encoder_->pitch();
      }
      learn(step, inputs, gradient, pitch);
      if (encoder_) encoder_->learn(step, rows, spec_.batch);
      backend_.template launch<Spread::kBlock>(
          1, AddTotals{step.batch, spec_.batch, step.results, totals_.data()});
    });
  }

  void learn(const StepContext<Backend>& step, const Rows& inputs, float* gradient,
             std::uint64_t pitch) {
    if (softmax_) {
      softmax_->learn(step, inputs,
                      {.clip = spec_.clip, .adds_results = true, .gradient = gradient});
    } else if (paths_) {
      paths_->learn(step, inputs,
                    {.clip = spec_.clip,
                     .sure = kSure,
                     .adds_results = true,
                     .gradient = gradient,
                     .pitch = pitch});
    } else {
      shortlists_->learn(step, inputs, gradient, pitch);
    }
  }

  LearnerSpec spec_;
  Backend backend_;
  Array<float> constants_;
  Array<std::byte> arguments_;
  Array<Totals> totals_;
  Array<float> results_;
  BatchStore<Backend> batch_;
  TreeView tree_;
  std::vector<Array<std::uint32_t>> tree_arrays_;
  TableStore<Backend> tables_[kTables];
  RowStore<Backend> kept_;
  RowStore<Backend> streamed_[kBuffers];
  SharedBuffer<Backend> buffers_[kBuffers];
  std::uint32_t next_ = 0;
  std::optional<EmbeddingLayer<Backend>> encoder_;
  ScoreBlocks<Backend> blocks_;
  std::optional<SoftmaxLayer<Backend>> softmax_;
  std::optional<PathLayer<Backend>> paths_;
  std::optional<ShortlistLayer<Backend>> shortlists_;
};

}  // namespace cane::device
