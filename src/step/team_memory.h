// What the threads of a team (step_team.h) share: what they learn, and the memory of a batch.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/grouping.h"
#include "core/simd/softmax_columns.h"
#include "data/rows/dataset_view.h"
#include "linear/optimizers/block_optimizer.h"
#include "step/batch_list.h"
#include "step/encoded_rows.h"
#include "step/own_list.h"
#include "step/rank_sums.h"
#include "step/whitening.h"

namespace cane {

/// A table that steps change.
struct LearnedTable {
  const BlockLayout* layout = nullptr;
  float* weights = nullptr;
  BlockOptimizer* optimizer = nullptr;
  const float* rate_scale = nullptr;  // factor on the learning rate
};

/// What a team learns.
struct TeamParts {
  const DatasetView* data = nullptr;
  EncoderParts encoder;
  LearnedTable classes;              // a row for each class, or for each of `part`
  std::vector<LearnedTable> layers;  // of the encoder
  // A step that all examples have in common would drown those of their features.
  bool learns_encoder_bias = false;
  const SlotLaw* law = nullptr;
  ListMaker::Rules list;
  float clip = 0.0F;  // longest gradient of an example; 0: any
  float l2 = 0.0F;    // weight decay for an example, on the rows listed for it
  std::uint64_t seed = 0;
  const Whitening* whitening = nullptr;  // of rows without an encoder; null: none
  /// If ranks share the classes: those of this one, and the ranks, all of which learn the same
  /// batches. Both are null otherwise.
  const ClassPart* part = nullptr;
  Communicator* ranks = nullptr;
};

struct TeamMemory {
  /// What is known of a batch before it is scored. A thread may be one barrier ahead of another
  /// one, and prepares the batch after that.
  struct Ahead {
    AlignedBuffer<float> inputs;      // (examples x pitch): a row, a one for the bias, zeros
    AlignedBuffer<float> transposed;  // (pitch x examples), zeros beyond the last example
    AlignedBuffer<float> turned;      // what steps multiply, if not the inputs: A times these
    OwnList own;
    Grouping entries;                 // of the list, by row
    std::vector<float> entry_scores;  // then steps
  };
  /// What is known of its scores.
  struct Scored {
    AlignedBuffer<float> sums;          // of each share of the own columns, and of the entries
    AlignedBuffer<float> label_scores;  // with what the list adds
    bool is_last = false;
  };

  TeamMemory(const TeamParts& parts, std::size_t batch)
      : pitch(parts.classes.layout->pitch()),
        examples(rounded_up(std::min(batch, parts.data->size()))),
        rows_here(parts.classes.layout->node_bound()),
        maker(*parts.law, parts.part == nullptr ? rows_here : parts.part->shards().classes(),
              parts.list),
        drawn(maker.slots()) {
    const std::size_t columns = std::min<std::size_t>(maker.most_columns(examples), rows_here);
    const std::size_t shards = parts.part == nullptr ? 1 : parts.part->own().count();
    most_shares = (columns + kTeamShare - 1) / kTeamShare + shards - 1;
    for (Ahead& own : aheads) {
      own.inputs = AlignedBuffer<float>(examples * pitch);
      own.transposed = AlignedBuffer<float>(pitch * examples);
      if (parts.whitening != nullptr) own.turned = AlignedBuffer<float>(examples * pitch);
    }
    for (Scored& own : scoreds) {
      own.sums = AlignedBuffer<float>(3 * (most_shares + 1) * examples);
      own.label_scores = AlignedBuffer<float>(examples);
    }
    scores = AlignedBuffer<float>(columns * examples);
    if (!maker.lists_all()) rows = AlignedBuffer<float>(columns * pitch);
    if (parts.encoder.encoder != nullptr) {
      input_steps = AlignedBuffer<float>(shards * examples * pitch);
    }
    if (parts.part == nullptr) return;
    rank_sums.emplace(*parts.part, *parts.ranks, examples);
  }

  static std::size_t rounded_up(std::size_t count) {
    return (count + kColumnMultiple - 1) / kColumnMultiple * kColumnMultiple;
  }
  Ahead& ahead(std::uint64_t batch) { return aheads[batch % kAhead]; }
  Scored& scored(std::uint64_t batch) { return scoreds[batch % kScored]; }
  ColumnSums sums_of(std::uint64_t batch, std::size_t share) {
    float* const first = scored(batch).sums.data() + 3 * share * examples;
    return {first, first + examples, first + 2 * examples};
  }
  /// The number of a class in the list whose rows are in `rows`, or in the table itself.
  ConstMatrix rows_of(const LearnedTable& classes, std::size_t first_column) const {
    const float* const table = maker.lists_all() ? classes.weights : rows.data();
    return {table + first_column * pitch, pitch};
  }
  void fail() {
    if (!failed.exchange(true)) failure = std::current_exception();
  }

  static constexpr std::size_t kAhead = 3;
  static constexpr std::size_t kScored = 2;

  std::size_t pitch;        // of inputs and rows
  std::size_t examples;     // of a batch, rounded up
  std::uint32_t rows_here;  // of classes
  ListMaker maker;
  std::vector<ClassId> drawn;  // for the next batch
  std::size_t most_shares = 0;
  Ahead aheads[kAhead];
  Scored scoreds[kScored];
  AlignedBuffer<float> rows;         // of the listed classes, unless all are listed
  AlignedBuffer<float> scores;       // (columns x examples): then exponentials, then steps
  AlignedBuffer<float> input_steps;  // in the encoder's output: (own shards x examples x pitch)
  // Of ranks that share the classes.
  BatchList all;  // what every rank lists for the next batch
  std::optional<RankSums> rank_sums;
  std::vector<float> all_input_steps;  // (examples x pitch)
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
};

}  // namespace cane
