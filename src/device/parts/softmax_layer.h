// A softmax over all rows of a table by products (plain/softmax.h): the classes of the method
// softmax, and the proposal of low rank when it learns. The scores of a batch are kept if they are
// no more than `most_scores`; otherwise blocks of classes are scored twice.
#pragma once

#include <algorithm>

#include "device/parts/step_context.h"
#include "device/plain/narrow.h"
#include "device/plain/softmax.h"

namespace cane::device {

/// Scores of a batch that are kept at once: 256 MiB of floats.
inline constexpr std::uint64_t kMaxScores = std::uint64_t{1} << 26;

/// Memory for the scores of a block of classes, shared by all that score one after the other.
template <typename Backend>
class ScoreBlocks {
 public:
  ScoreBlocks() = default;
  ScoreBlocks(Backend& backend, std::uint32_t classes, std::uint32_t batch,
              std::uint64_t most_scores)
      : classes_(classes),
        width_(static_cast<std::uint32_t>(std::min<std::uint64_t>(
            whole_tiles(classes), whole_tiles(std::max<std::uint64_t>(most_scores / batch, 1))))),
        scores_(backend, std::uint64_t{batch} * width_) {}

  std::uint32_t width() const { return width_; }
  bool is_one() const { return width_ >= classes_; }

  /// Calls body(block) for each block.
  template <typename Body>
  void for_each(const Body& body) const {
    for (std::uint32_t first = 0; first < classes_; first += width_) {
      body(ClassBlock{scores_.data(), width_, first, std::min(width_, classes_ - first)});
    }
  }

  /// Queues the scores of the first `examples` examples.
  void score(const StepContext<Backend>& step, const Rows& inputs, const RowTable& table,
             std::uint32_t examples, const ClassBlock& block) const {
    step.backend.multiply({.m = examples,
                           .n = block.count,
                           .k = inputs.pitch,
                           .alpha = step.one,
                           .a = inputs.dense,
                           .a_pitch = inputs.pitch,
                           .b = table.row(block.first),
                           .b_pitch = table.pitch,
                           .transposes_b = true,
                           .beta = step.zero,
                           .c = block.scores,
                           .c_pitch = block.pitch});
  }

 private:
  static std::uint64_t whole_tiles(std::uint64_t classes) {
    return (classes + kTile - 1) / kTile * kTile;
  }

  std::uint32_t classes_ = 0;
  std::uint32_t width_ = 0;
  Array<float> scores_;
};

template <typename Backend>
class SoftmaxLayer {
 public:
  SoftmaxLayer() = default;
  /// `blocks` must outlive the layer.
  SoftmaxLayer(Backend& backend, const RowTable& table, const ScoreBlocks<Backend>& blocks,
               std::uint32_t batch)
      : table_(table),
        blocks_(&blocks),
        sums_(backend, std::uint64_t{batch} * 5),
        adapted_(backend, table.squares == nullptr ? 0 : blocks.width() * table.pitch),
        squared_(backend, table.squares == nullptr ? 0 : batch * table.pitch) {
    float* next = sums_.data();
    for (float** part :
         {&view_.largest, &view_.sums, &view_.squares, &view_.label_scores, &view_.scales}) {
      *part = next;
      next += batch;
    }
  }

  struct Options {
    float clip = 0.0F;
    bool takes_quarter = false;  // learns from a quarter of the examples
    bool adds_results = false;   // to the sums of the step
    float* gradient = nullptr;   // of the inputs, as many floats apart as these; null: not wanted
  };

  /// Learns from dense inputs.
  void learn(const StepContext<Backend>& step, const Rows& inputs, const Options& options) {
    const std::uint32_t examples = options.takes_quarter ? (step.places + 3) / 4 : step.places;
    Backend& backend = step.backend;
    blocks_->for_each([&](const ClassBlock& block) {
      blocks_->score(step, inputs, table_, examples, block);
      backend.template launch<Spread::kBlock>(examples, SumBlock{step.batch, view_, block});
    });
    backend.template launch<Spread::kWarp>(
        examples, WeighExample{step.batch, inputs, view_, options.clip,
                               static_cast<std::uint32_t>(table_.rows), options.takes_quarter,
                               options.adds_results ? step.results : ExampleResults{}});
    if (table_.squares != nullptr) {
      backend.template launch<Spread::kWarp>(
          examples, SquareRow{inputs.dense, squared_.data(), inputs.pitch});
    }
    blocks_->for_each([&](const ClassBlock& block) {
      if (!blocks_->is_one()) blocks_->score(step, inputs, table_, examples, block);
      backend.template launch<Spread::kBlock>(examples,
                                              DifferentiateBlock{step.batch, view_, block});
      if (options.gradient != nullptr) back(step, inputs, examples, block, options.gradient);
      update(step, inputs, examples, block);
    });
  }

 private:
  void back(const StepContext<Backend>& step, const Rows& inputs, std::uint32_t examples,
            const ClassBlock& block, float* gradient) {
    step.backend.multiply({.m = examples,
                           .n = inputs.width,
                           .k = block.count,
                           .alpha = step.one,
                           .a = block.scores,
                           .a_pitch = block.pitch,
                           .b = table_.row(block.first),
                           .b_pitch = table_.pitch,
                           .beta = block.first == 0 ? step.zero : step.one,
                           .c = gradient,
                           .c_pitch = inputs.pitch});
  }

  void update(const StepContext<Backend>& step, const Rows& inputs, std::uint32_t examples,
              const ClassBlock& block) {
    Backend& backend = step.backend;
    RowTable rows = table_;
    rows.weights = table_.row(block.first);
    if (table_.decays) {
      backend.template launch<Spread::kWarp>(block.count, DecayRow{step.batch.step, rows});
    }
    Product product = {.m = block.count,
                       .n = table_.pitch,
                       .k = examples,
                       .alpha = table_.minus_rate,
                       .a = block.scores,
                       .a_pitch = block.pitch,
                       .transposes_a = true,
                       .b = inputs.dense,
                       .b_pitch = inputs.pitch,
                       .beta = step.one,
                       .c = rows.weights,
                       .c_pitch = table_.pitch};
    if (table_.squares == nullptr) return backend.multiply(product);
    rows.squares = table_.squares + block.first * table_.pitch;
    product.alpha = step.one;
    product.beta = step.zero;
    product.c = adapted_.data();
    backend.multiply(product);
    backend.template launch<Spread::kBlock>(examples,
                                            SquareRow{block.scores, block.scores, block.pitch});
    product.b = squared_.data();
    product.beta = step.one;
    product.c = rows.squares;
    backend.multiply(product);
    backend.template launch<Spread::kWarp>(block.count, AdaptRow{rows, adapted_.data()});
  }

  RowTable table_;
  const ScoreBlocks<Backend>* blocks_ = nullptr;
  SoftmaxSums view_;
  Array<float> sums_;
  Array<float> adapted_;
  Array<float> squared_;
};

}  // namespace cane::device
