#include "train/classes/class_executor.h"

#include <algorithm>

namespace cane {

ClassExecutor::ClassExecutor(const ClassParts& parts, TrainState& state, ThreadPool& pool,
                             Communicator& ranks)
    : parts_(parts),
      ranks_(ranks),
      search_(*parts.tables, state, parts.rules, pool, ranks),
      sums_(parts.tables->shards.count(), parts.tables->own),
      projection_(parts.tables->layout(parts.tables->projection())),
      encoded_(parts.encoder == nullptr ? 0 : projection_.dimension()),
      input_pitch_(projection_.widest_stride()),
      updater_(parts.tables->tables, parts.l2, state) {}

bool ClassExecutor::run(Trainer& trainer, std::uint64_t end, const std::function<bool()>& go_on) {
  std::uint64_t& next = trainer.state().next_batch;
  bool stops = false;
  while (next < end && !stops) {
    StepStats stats;
    stops = learn(trainer, next, stats);
    trainer.learned({&stats, 1});
    ++next;
    wants_stop_ = !go_on() || wants_stop_;
  }
  return !stops;
}

bool ClassExecutor::learn(Trainer& trainer, std::uint64_t batch, StepStats& totals) {
  const auto examples = trainer.batch(batch);
  const CounterRandom random = trainer.random();
  const std::size_t slices =
      (examples.size() + ShardedSearch::kSliceExamples - 1) / ShardedSearch::kSliceExamples;
  const EncoderParts encoder = {.encoder = parts_.encoder,
                                .first_table = parts_.tables->projection() + 1,
                                .seed = parts_.rules.merge.seed,
                                .least_step = 0.0F,
                                .classes = {},
                                .proposal = {}};
  while (slices_.size() < slices) {
    slices_.push_back({EncodedRows(*parts_.data, encoder), GradientParts(projection_)});
  }
  labels_.clear();
  for (const std::uint32_t example : examples) labels_.push_back(parts_.data->label(example));
  const bool stops = search_.run(
      examples, labels_,
      [&](std::size_t slice, std::span<const std::uint32_t> numbers) {
        return rows_of(slice, numbers, random);
      },
      random, wants_stop_);
  std::vector<StepStats> stats(slices);
  search_.for_each_slice([&](Slice& slice, std::size_t index) {
    stats[index] = slice.merged->differentiate(*parts_.data, slice.rows);
  });
  for (const StepStats& of_slice : stats) totals.add(of_slice);
  const std::size_t per_shard = lay_out_steps();
  differentiate_shards(per_shard);
  sums_.add_up(ranks_, per_shard, own_steps_, steps_);
  differentiate_common();
  update(trainer, trainer.rate_of(batch));
  return stops;
}

std::span<const RowView> ClassExecutor::rows_of(std::size_t slice,
                                                std::span<const std::uint32_t> examples,
                                                const CounterRandom& random) {
  const bool wants_dense =
      parts_.encoder == nullptr && parts_.tables->layout(parts_.tables->classes(0)).is_row_major();
  return slices_[slice].rows.gather(examples, wants_dense, random);
}

std::size_t ClassExecutor::lay_out_steps() {
  std::size_t end = 0;
  for (std::size_t i = 0; i < search_.slices(); ++i) {
    const Slice& slice = search_.slice(i);
    SliceGradient& own = slices_[i];
    own.begin = end;
    own.places.clear();
    own.has_steps.clear();
    std::uint32_t place = 0;
    for (std::size_t e = 0; e < slice.examples.size(); ++e) {
      const bool has_steps = slice.merged->steps(e).scale != 0.0F;
      own.places.push_back(place);
      own.has_steps.push_back(has_steps ? 1.0F : 0.0F);
      place += has_steps ? 1 : 0;
    }
    end += num_to_learn(slice) * input_pitch_ + place * encoded_;
  }
  return end;
}

void ClassExecutor::differentiate_shards(std::size_t per_shard) {
  own_steps_.assign(per_shard * parts_.tables->own.count(), 0.0F);
  search_.for_each_shard([&](Slice& slice, std::uint32_t own) {
    const SliceGradient& common = slices_[slice.first / ShardedSearch::kSliceExamples];
    float* steps = own_steps_.data() + own * per_shard + common.begin;
    ShardSlice& shard = slice.shards[own];
    shard.begin_gradients();
    for (std::uint32_t e = 0; e < slice.examples.size(); ++e) {
      if (common.has_steps[e] != 0.0F) shard.add_steps(e, slice.merged->steps(e));
    }
    for (std::uint32_t e = 0; e < num_to_learn(slice); ++e) {
      shard.learn(e, slice.labels[e], parts_.data->weight(slice.examples[e]),
                  slice.merged->total(e, parts_.tables->own.begin + own), steps + e * input_pitch_);
    }
    if (encoded_ > 0) shard.back(common.places, steps + num_to_learn(slice) * input_pitch_);
  });
}

void ClassExecutor::differentiate_common() {
  search_.for_each_slice([&](Slice& slice, std::size_t index) {
    SliceGradient& own = slices_[index];
    const float* steps = steps_.data() + own.begin;
    own.projection.clear();
    own.gradients.assign({{parts_.tables->projection(), &own.projection, slice.rows}});
    for (std::uint32_t e = 0; e < num_to_learn(slice); ++e) {
      std::copy_n(steps + e * input_pitch_, input_pitch_, own.projection.add_part(e, 0));
    }
    if (encoded_ == 0) return;
    steps += num_to_learn(slice) * input_pitch_;
    own.row_steps.assign(slice.examples.size() * encoded_, 0.0F);
    for (std::size_t e = 0; e < slice.examples.size(); ++e) {
      if (own.has_steps[e] == 0.0F) continue;
      std::copy_n(steps + own.places[e] * encoded_, encoded_, own.row_steps.data() + e * encoded_);
    }
    own.rows.back(own.row_steps, own.gradients);
    for (const TableGradient& layer : std::span(own.gradients).subspan(1)) {
      layer.parts->scale_examples(own.has_steps);
    }
  });
}

void ClassExecutor::update(Trainer& trainer, float rate) {
  std::vector<std::span<const TableGradient>> gradients(search_.slices());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    std::vector<TableGradient>& of_slice = slices_[i].gradients;
    for (const ShardSlice& shard : search_.slice(i).shards) {
      of_slice.insert(of_slice.end(), shard.gradients().begin(), shard.gradients().end());
    }
    gradients[i] = of_slice;
  }
  updater_.apply(gradients, rate, trainer.pool());
}

}  // namespace cane
