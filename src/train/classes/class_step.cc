#include "train/classes/class_step.h"

#include <algorithm>

namespace cane {

ClassStep::ClassStep(const ClassStepParts& parts, ShardedState& state, ThreadPool& pool,
                     Communicator& ranks)
    : parts_(parts),
      pool_(pool),
      ranks_(ranks),
      search_(*parts.tables, state, parts.rules, pool, ranks),
      sums_(parts.tables->shards.count(), parts.tables->own),
      encoded_(parts.encoder == nullptr
                   ? 0
                   : parts.tables->common.tables[kCommonProjection].layout.dimension()),
      input_pitch_(parts.tables->common.tables[kCommonProjection].layout.widest_stride()),
      common_updater_(parts.tables->common.tables, 0.0F, state.common) {
  for (std::size_t shard = 0; shard < state.shards.size(); ++shard) {
    shard_updaters_.emplace_back(parts.tables->of_shards[shard].tables, parts.l2,
                                 state.shards[shard]);
  }
}

ClassStep::Learned ClassStep::learn(std::span<const std::uint32_t> examples, float rate,
                                    const CounterRandom& random, bool wishes_to_stop) {
  const std::size_t slices =
      (examples.size() + ShardedSearch::kSliceExamples - 1) / ShardedSearch::kSliceExamples;
  const EncoderParts encoder = {.encoder = parts_.encoder,
                                .first_table = kCommonProjection + 1,
                                .seed = parts_.rules.merge.seed,
                                .least_step = 0.0F,
                                .classes = {},
                                .proposal = {}};
  while (slices_.size() < slices) {
    slices_.push_back({EncodedRows(*parts_.data, encoder),
                       GradientParts(parts_.tables->common.tables[kCommonProjection].layout)});
  }
  labels_.clear();
  for (const std::uint32_t example : examples) labels_.push_back(parts_.data->label(example));
  Learned learned;
  learned.stops = search_.run(
      examples, labels_,
      [&](std::size_t slice, std::span<const std::uint32_t> numbers) {
        return rows_of(slice, numbers, random);
      },
      random, wishes_to_stop);
  std::vector<StepStats> stats(slices);
  search_.for_each_slice([&](Slice& slice, std::size_t index) {
    stats[index] = slice.merged->differentiate(*parts_.data, slice.rows);
  });
  for (const StepStats& of_slice : stats) learned.stats.add(of_slice);
  const std::size_t per_shard = lay_out_steps();
  differentiate_shards(per_shard);
  sums_.add_up(ranks_, per_shard, own_steps_, steps_);
  differentiate_common();
  update(rate);
  return learned;
}

std::span<const RowView> ClassStep::rows_of(std::size_t slice,
                                            std::span<const std::uint32_t> examples,
                                            const CounterRandom& random) {
  const bool wants_dense =
      parts_.encoder == nullptr &&
      parts_.tables->of_shards.front().tables[kShardClasses].layout.is_row_major();
  return slices_[slice].rows.gather(examples, wants_dense, random);
}

std::size_t ClassStep::lay_out_steps() {
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

void ClassStep::differentiate_shards(std::size_t per_shard) {
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

void ClassStep::differentiate_common() {
  search_.for_each_slice([&](Slice& slice, std::size_t index) {
    SliceGradient& own = slices_[index];
    const float* steps = steps_.data() + own.begin;
    own.projection.clear();
    own.gradients.assign({{kCommonProjection, &own.projection, slice.rows}});
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

void ClassStep::update(float rate) {
  std::vector<std::span<const TableGradient>> gradients(search_.slices());
  for (std::size_t own = 0; own < shard_updaters_.size(); ++own) {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      gradients[i] = search_.slice(i).shards[own].gradients();
    }
    shard_updaters_[own].apply(gradients, rate, pool_);
  }
  for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] = slices_[i].gradients;
  common_updater_.apply(gradients, rate, pool_);
}

}  // namespace cane
