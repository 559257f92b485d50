#include "step/team_member.h"

#include <algorithm>
#include <cmath>

#include "core/simd/row_kernels.h"
#include "core/simd/row_product.h"
#include "linear/scorers/flat_scorer.h"

namespace cane {
namespace {

// Columns whose steps are taken back to the encoder at once, so that their rows stay in the cache.
constexpr std::size_t kColumnsAtOnce = 128;
// Features of sparse rows are dealt out in stretches of so many: those of a cache line of sums.
constexpr std::size_t kStretch = 16;

}  // namespace

TeamMember::TeamMember(const TeamParts& parts, TeamMemory& memory, std::uint32_t epoch,
                       std::size_t index, std::size_t members)
    : parts_(parts),
      memory_(memory),
      index_(index),
      members_(members),
      slots_(parts.seed, RandomPurpose::kSlots, epoch),
      epoch_(parts.seed, RandomPurpose::kNoise, epoch),
      rows_(*parts.data, parts.encoder),
      sums_(3 * memory.examples),
      joined_{sums_.data(), sums_.data() + memory.examples, sums_.data() + 2 * memory.examples},
      factors_(memory.examples),
      gradient_(kTeamShare * memory.pitch) {}

TeamMember::Range TeamMember::own_columns(const OwnList& own) const {
  const Range shares = part_of(own.num_shares());
  return {own.shares[shares.begin], own.shares[shares.end]};
}

template <typename Body>
void TeamMember::for_own_shares(const OwnList& own, const Body& body) {
  const Range shares = part_of(own.num_shares());
  for (std::size_t share = shares.begin; share < shares.end; ++share) {
    body(share, Range{own.shares[share], own.shares[share + 1]});
  }
}

// Of the own examples.
TeamMember::Range TeamMember::own_entries(const BatchList& list, std::size_t examples) const {
  const Range own = part_of(examples);
  const auto first_of = [&](std::size_t example) {
    const auto found = std::ranges::lower_bound(list.entries, example, {},
                                                [](const auto& entry) { return entry.example; });
    return static_cast<std::size_t>(found - list.entries.begin());
  };
  return {first_of(own.begin), first_of(own.end)};
}

void TeamMember::fill(std::uint64_t batch, std::span<const std::uint32_t> examples) {
  const Range own = part_of(examples.size());
  TeamMemory::Ahead& ahead = memory_.ahead(batch);
  const std::size_t pitch = memory_.pitch;
  float* const inputs = ahead.inputs.data() + own.begin * pitch;
  fill_inputs(rows_.gather(examples.subspan(own.begin, own.size()), false, epoch_),
              parts_.classes.layout->dimension(), pitch, inputs);
  if (parts_.whitening != nullptr) {
    parts_.whitening->turn(inputs, own.size(), pitch, scratch_,
                           ahead.turned.data() + own.begin * pitch);
  }
  const bool is_last = index_ + 1 == members_;
  const std::size_t end = is_last ? TeamMemory::rounded_up(examples.size()) : own.end;
  for (std::size_t i = 0; i < width(); ++i) {
    float* const to = ahead.transposed.data() + i * memory_.examples;
    for (std::size_t e = 0; e < own.size(); ++e) to[own.begin + e] = inputs[e * pitch + i];
    std::fill(to + own.end, to + end, 0.0F);
  }
}

void TeamMember::draw(std::uint64_t batch) {
  const Range own = part_of(memory_.drawn.size());
  for (std::size_t slot = own.begin; slot < own.end; ++slot) {
    memory_.drawn[slot] = parts_.law->draw(slots_, batch, static_cast<std::uint32_t>(slot));
  }
}

void TeamMember::list(std::uint64_t batch, std::span<const std::uint32_t> examples) {
  TeamMemory::Ahead& ahead = memory_.ahead(batch);
  labels_.clear();
  for (const std::uint32_t example : examples) labels_.push_back(parts_.data->label(example));
  const std::vector<BatchList::Entry>& entries = ahead.own.list.entries;
  if (parts_.part == nullptr) {
    memory_.maker.make(labels_, memory_.drawn, ahead.own.list);
    ahead.own.cut();
  } else {
    memory_.maker.make(labels_, memory_.drawn, memory_.all);
    ahead.own.take(memory_.all, *parts_.part, memory_.maker.lists_all());
  }
  ahead.entries.build(entries.size(), memory_.rows_here,
                      [&](std::size_t entry) { return entries[entry].class_id; });
  ahead.entry_scores.resize(entries.size());
}

void TeamMember::gather_rows(const BatchList& list, Range columns) {
  const BlockLayout& layout = *parts_.classes.layout;
  for (std::size_t c = columns.begin; c < columns.end; ++c) {
    std::copy_n(parts_.classes.weights + layout.offset(list.columns[c]), width(),
                memory_.rows.data() + c * memory_.pitch);
  }
}

void TeamMember::score(std::uint64_t batch, std::span<const std::uint32_t> examples) {
  TeamMemory::Ahead& ahead = memory_.ahead(batch);
  TeamMemory::Scored& scored = memory_.scored(batch);
  const BatchList& list = ahead.own.list;
  const Range own = own_columns(ahead.own);
  const std::size_t columns = TeamMemory::rounded_up(examples.size());
  if (!memory_.maker.lists_all()) gather_rows(list, own);
  multiply(memory_.rows_of(parts_.classes, own.begin), {ahead.transposed.data(), memory_.examples},
           scores_of(own.begin), own.size(), width(), columns);
  for (const BatchList::Shift& shift : list.shifts) {
    if (shift.column - own.begin < own.size())
      scores_of(shift.column).data[shift.example] += shift.by;
  }
  for_own_labels(ahead.own, [&](std::size_t e, float* score) {
    scored.label_scores.data()[e] = *score + list.offsets[list.labels[e].column];
  });
  for_own_shares(ahead.own, [&](std::size_t share, Range of_share) {
    exponentiate_columns(scores_of(of_share.begin), list.offsets.data() + of_share.begin,
                         of_share.size(), columns, memory_.sums_of(batch, share));
  });
  score_entries(batch, examples.size());
}

// The entries of an example are its last share.
void TeamMember::score_entries(std::uint64_t batch, std::size_t examples) {
  TeamMemory::Ahead& ahead = memory_.ahead(batch);
  const BatchList& list = ahead.own.list;
  const BlockLayout& layout = *parts_.classes.layout;
  const ColumnSums sums = memory_.sums_of(batch, memory_.most_shares);
  const Range own = part_of(examples);
  std::size_t next = own_entries(list, examples).begin;
  for (std::size_t e = own.begin; e < own.end; ++e) {
    const std::size_t begin = next;
    classes_.clear();
    for (; next < list.entries.size() && list.entries[next].example == e; ++next) {
      classes_.push_back(list.entries[next].class_id);
    }
    float* const scores = ahead.entry_scores.data() + begin;
    const RowView row = {nullptr, input(batch, e), layout.dimension()};
    score_rows(parts_.classes.weights, layout.pitch(), layout.dimension(), row, classes_, scores);
    float largest = BatchList::kDead;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      scores[i] += list.entries[begin + i].offset;
      largest = std::max(largest, scores[i]);
    }
    const BatchList::Label& label = list.labels[e];
    if (label.column == BatchList::kNone) {
      const bool is_here = label.entry != BatchList::kNone;
      memory_.scored(batch).label_scores.data()[e] =
          is_here ? ahead.entry_scores[label.entry] : 0.0F;
    }
    sums.largest[e] = largest;
    sums.sums[e] = 0.0F;
    sums.squares[e] = 0.0F;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      scores[i] = std::exp(scores[i] - largest);
      sums.sums[e] += scores[i];
      sums.squares[e] += scores[i] * scores[i];
    }
  }
}

// Calls body(example, its label's score) for each label in one of the own columns.
template <typename Body>
void TeamMember::for_own_labels(const OwnList& own, const Body& body) {
  const Range columns = own_columns(own);
  for (std::size_t e = 0; e < own.list.labels.size(); ++e) {
    const std::size_t column = own.list.labels[e].column;
    if (column - columns.begin < columns.size()) body(e, scores_of(column).data + e);
  }
}

void TeamMember::join_shards(std::uint64_t batch, std::size_t examples) {
  const OwnList& own = memory_.ahead(batch).own;
  const Range shards = part_of(own.shards.size() - 1);
  for (std::size_t shard = shards.begin; shard < shards.end; ++shard) {
    shares_.clear();
    for (std::size_t share = own.shards[shard]; share < own.shards[shard + 1]; ++share) {
      shares_.push_back(memory_.sums_of(batch, share));
    }
    const ColumnSums sums = memory_.rank_sums->own(shard);
    if (shares_.empty()) {
      memory_.rank_sums->set_empty(sums);
    } else {
      join_columns(shares_, TeamMemory::rounded_up(examples), sums);
    }
  }
}

void TeamMember::differentiate(std::uint64_t batch, std::span<const std::uint32_t> examples,
                               float scale) {
  const OwnList& own = memory_.ahead(batch).own;
  const std::size_t columns = TeamMemory::rounded_up(examples.size());
  if (memory_.rank_sums) {
    join_columns(memory_.rank_sums->all(own.num_entries > 0), columns, joined_);
  } else {
    shares_.clear();
    for (std::size_t share = 0; share < own.num_shares(); ++share) {
      shares_.push_back(memory_.sums_of(batch, share));
    }
    if (own.num_entries > 0) shares_.push_back(memory_.sums_of(batch, memory_.most_shares));
    join_columns(shares_, columns, joined_);
  }
  weigh(batch, examples, scale);
  for_own_shares(own, [&](std::size_t share, Range of_share) {
    scale_columns(scores_of(of_share.begin), of_share.size(), columns,
                  memory_.sums_of(batch, share).largest, joined_.largest, factors_.data());
  });
  // A factor is minus the step of an example over its sum.
  for_own_labels(
      own, [&](std::size_t e, float* step) { *step -= factors_.data()[e] * joined_.sums[e]; });
  scale_entries(batch);
}

// Fills factors_: what the exponentials of an example are multiplied by.
void TeamMember::weigh(std::uint64_t batch, std::span<const std::uint32_t> examples, float scale) {
  const float* const directions = this->directions(memory_.ahead(batch));
  std::fill(factors_.data(), factors_.data() + factors_.size(), 0.0F);
  const float* const label_scores = memory_.scored(batch).label_scores.data();
  for (std::size_t e = 0; e < examples.size(); ++e) {
    float weight = parts_.data->weight(examples[e]);
    if (parts_.clip > 0.0F) {
      const float sum = joined_.sums[e];
      const float label = std::exp(label_scores[e] - joined_.largest[e]) / sum;
      const float scores = joined_.squares[e] / (sum * sum) - 2.0F * label + 1.0F;
      float features = 0.0F;
      for (std::size_t i = 0; i < width(); ++i) {
        features += input(batch, e)[i] * directions[e * memory_.pitch + i];
      }
      const float length = weight * std::sqrt(std::max(scores, 0.0F) * features);
      if (length > parts_.clip) weight *= parts_.clip / length;
    }
    factors_.data()[e] = -scale * weight / joined_.sums[e];
  }
}

// Those whose rows this thread changes: others need not wait for it.
void TeamMember::scale_entries(std::uint64_t batch) {
  TeamMemory::Ahead& ahead = memory_.ahead(batch);
  const ColumnSums sums = memory_.sums_of(batch, memory_.most_shares);
  const Range groups = part_of(ahead.entries.size());
  for (std::size_t group = groups.begin; group < groups.end; ++group) {
    for (const std::uint32_t i : ahead.entries.items(group)) {
      const std::uint32_t e = ahead.own.list.entries[i].example;
      float& step = ahead.entry_scores[i];
      step *= factors_.data()[e] * std::exp(sums.largest[e] - joined_.largest[e]);
      if (ahead.own.list.labels[e].entry == i) step -= factors_.data()[e] * joined_.sums[e];
    }
  }
}

StepStats TeamMember::stats(std::uint64_t batch, std::span<const std::uint32_t> examples) const {
  const OwnList& own = memory_.ahead(batch).own;
  const float* const label_scores = memory_.scored(batch).label_scores.data();
  StepStats stats;
  stats.examples = examples.size();
  stats.covered = own.list.covered;
  stats.rows_scored = std::uint64_t{own.num_columns} * examples.size() + own.num_entries;
  for (std::size_t e = 0; e < examples.size(); ++e) {
    const auto weight = static_cast<double>(parts_.data->weight(examples[e]));
    const float score = label_scores[e] - own.list.labels[e].offset;
    const float loss = std::log(joined_.sums[e]) - (score - joined_.largest[e]);
    stats.loss += weight * static_cast<double>(loss);
    stats.weight += weight;
  }
  return stats;
}

void TeamMember::find_input_steps(std::uint64_t batch, std::size_t examples) {
  const TeamMemory::Ahead& ahead = memory_.ahead(batch);
  const Range own = part_of(examples);
  if (own.size() == 0) return;
  const std::size_t pitch = memory_.pitch;
  const auto steps_of = [&](std::size_t shard, std::size_t example) {
    return memory_.input_steps.data() + (shard * examples + example) * pitch;
  };
  for (std::size_t shard = 0; shard + 1 < ahead.own.shards.size(); ++shard) {
    float* const to = steps_of(shard, own.begin);
    std::fill_n(to, own.size() * pitch, 0.0F);
    const std::size_t end = ahead.own.shares[ahead.own.shards[shard + 1]];
    for (std::size_t first = ahead.own.shares[ahead.own.shards[shard]]; first < end;
         first += kColumnsAtOnce) {
      const Matrix steps = scores_of(first);
      multiply_turned_and_add({steps.data + own.begin, steps.pitch},
                              memory_.rows_of(parts_.classes, first), {to, pitch}, own.size(),
                              std::min(kColumnsAtOnce, end - first), pitch);
    }
  }
  const BlockLayout& layout = *parts_.classes.layout;
  const Range entries = own_entries(ahead.own.list, examples);
  for (std::size_t i = entries.begin; i < entries.end; ++i) {
    const BatchList::Entry& entry = ahead.own.list.entries[i];
    const BackTask task = {&ahead.entry_scores[i], steps_of(ahead.own.entries[i], entry.example)};
    back_block(parts_.classes.weights + layout.offset(entry.class_id), layout.shape(entry.class_id),
               std::span(&task, 1));
  }
}

void TeamMember::back(std::size_t examples) {
  const Range own = part_of(examples);
  layers_.clear();
  if (own.size() == 0) return;
  const float* const steps =
      memory_.rank_sums ? memory_.all_input_steps.data() : memory_.input_steps.data();
  const std::size_t pitch = memory_.pitch;
  rows_.back(std::span(steps + own.begin * pitch, own.size() * pitch), layers_);
}

void TeamMember::update_rows(std::uint64_t batch, std::span<const std::uint32_t> examples,
                             float rate) {
  update_columns(batch, examples.size(), rate);
  update_entries(batch, rate);
}

void TeamMember::update_columns(std::uint64_t batch, std::size_t examples, float rate) {
  const TeamMemory::Ahead& ahead = memory_.ahead(batch);
  const Range own = own_columns(ahead.own);
  const std::size_t pitch = memory_.pitch;
  const ConstMatrix inputs = {directions(ahead), pitch};
  const float kept = std::pow(1.0F - rate * parts_.l2, static_cast<float>(examples));
  if (adds_directly(parts_, memory_)) {
    float* const weights = parts_.classes.weights + own.begin * pitch;
    if (kept != 1.0F) {
      for (std::size_t i = 0; i < own.size() * pitch; ++i) weights[i] *= kept;
    }
    const Matrix steps = scores_of(own.begin);
    multiply_and_add({steps.data, steps.pitch}, inputs, {weights, pitch}, own.size(), examples,
                     pitch);
    return;
  }
  for_own_shares(ahead.own, [&](std::size_t, Range of_share) {
    const Matrix steps = scores_of(of_share.begin);
    multiply({steps.data, steps.pitch}, inputs, {gradient_.data(), pitch}, of_share.size(),
             examples, pitch);
    for (std::size_t k = 0; k < of_share.size(); ++k) {
      apply(ahead.own.list.columns[of_share.begin + k], gradient_.data() + k * pitch, rate, kept);
    }
  });
}

void TeamMember::update_entries(std::uint64_t batch, float rate) {
  const TeamMemory::Ahead& ahead = memory_.ahead(batch);
  const Range own = part_of(ahead.entries.size());
  for (std::size_t group = own.begin; group < own.end; ++group) {
    const auto items = ahead.entries.items(group);
    std::fill_n(gradient_.data(), width(), 0.0F);
    for (const std::uint32_t item : items) {
      const float step = ahead.entry_scores[item];
      const float* const x =
          directions(ahead) + ahead.own.list.entries[item].example * memory_.pitch;
      for (std::size_t i = 0; i < width(); ++i) gradient_.data()[i] += step * x[i];
    }
    apply(ahead.entries.key(group), gradient_.data(), rate,
          std::pow(1.0F - rate * parts_.l2, static_cast<float>(items.size())));
  }
}

// `kept`: what weight decay leaves of the row.
void TeamMember::apply(ClassId row, const float* step, float rate, float kept) {
  const LearnedTable& classes = parts_.classes;
  if (kept != 1.0F) {
    float* const weights = classes.weights + classes.layout->offset(row);
    for (std::size_t i = 0; i < width(); ++i) weights[i] *= kept;
  }
  classes.optimizer->apply_sum(classes.weights, *classes.layout, row, rate * *classes.rate_scale,
                               {step, width()}, scratch_);
}

void TeamMember::update_encoder(std::span<const TeamMember> members, float rate) {
  const bool learns_bias = parts_.learns_encoder_bias && index_ == 0;
  for (const TeamMember& member : members) {
    for (const TableGradient& gradient : member.layers_) {
      const LearnedTable& layer = parts_.layers[gradient.table - parts_.encoder.first_table];
      for (std::size_t part = 0; part < gradient.parts->parts().size(); ++part) {
        const auto [example, block] = gradient.parts->parts()[part];
        const UpdateTask task = {own_features(gradient.rows[example]), learns_bias ? 1.0F : 0.0F,
                                 gradient.parts->steps(part)};
        layer.optimizer->apply(layer.weights, *layer.layout, block, rate * *layer.rate_scale,
                               std::span(&task, 1), scratch_);
      }
    }
  }
}

// Every feature is changed by one thread, and in the same way for any number of threads.
RowView TeamMember::own_features(const RowView& row) {
  if (row.indices == nullptr) {
    for (auto next = static_cast<FeatureId>(numbers_.size()); next < row.count; ++next) {
      numbers_.push_back(next);
    }
    const Range own = part_of(row.count);
    return {numbers_.data() + own.begin, row.values + own.begin,
            static_cast<std::uint32_t>(own.size())};
  }
  if (members_ == 1) return row;
  features_.clear();
  values_.clear();
  for (std::uint32_t p = 0; p < row.count; ++p) {
    if (row.indices[p] / kStretch % members_ != index_) continue;
    features_.push_back(row.indices[p]);
    values_.push_back(row.values[p]);
  }
  return {features_.data(), values_.data(), static_cast<std::uint32_t>(features_.size())};
}

}  // namespace cane
