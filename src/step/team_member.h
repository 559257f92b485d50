// One thread of a team (step_team.h): the phases of a batch, each over its part of the columns, the
// examples, the entries or the features of an encoder. Between phases the threads wait for each
// other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "step/encoded_rows.h"
#include "step/step_worker.h"
#include "step/team_memory.h"

namespace cane {

class TeamMember {
 public:
  TeamMember(const TeamParts& parts, TeamMemory& memory, std::uint32_t epoch, std::size_t index,
             std::size_t members);

  /// Reads its examples, encodes them, and lays them out.
  void fill(std::uint64_t batch, std::span<const std::uint32_t> examples);
  /// Draws its slots of noises.
  void draw(std::uint64_t batch);
  /// Lists the batch, by one thread for all, after all have drawn.
  void list(std::uint64_t batch, std::span<const std::uint32_t> examples);
  /// Scores its columns, and the entries of its examples.
  void score(std::uint64_t batch, std::span<const std::uint32_t> examples);
  /// If ranks share the classes: joins the sums of its part of the own shards.
  void join_shards(std::uint64_t batch, std::size_t examples);
  /// Makes steps of the scores: minus the gradient, times `scale`.
  void differentiate(std::uint64_t batch, std::span<const std::uint32_t> examples, float scale);
  /// The steps in the output of the encoder, for its examples, of each own shard.
  void find_input_steps(std::uint64_t batch, std::size_t examples);
  /// The way back through the encoder, for its examples.
  void back(std::size_t examples);
  /// Changes the rows of its columns and of its part of the entries.
  void update_rows(std::uint64_t batch, std::span<const std::uint32_t> examples, float rate);
  /// Changes the weights of its features, after all members have been back.
  void update_encoder(std::span<const TeamMember> members, float rate);
  /// What the batch has brought; after differentiate().
  StepStats stats(std::uint64_t batch, std::span<const std::uint32_t> examples) const;

  /// Whether rows are changed where they lie, by the product itself.
  static bool adds_directly(const TeamParts& parts, const TeamMemory& memory) {
    return memory.maker.lists_all() && parts.encoder.encoder == nullptr &&
           parts.classes.optimizer->state().empty();
  }

 private:
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t size() const { return end - begin; }
  };
  Range part_of(std::size_t count) const {
    return {index_ * count / members_, (index_ + 1) * count / members_};
  }
  Range own_columns(const OwnList& own) const;
  /// Calls body(share, its columns) for each of its shares.
  template <typename Body>
  void for_own_shares(const OwnList& own, const Body& body);
  Range own_entries(const BatchList& list, std::size_t examples) const;
  Matrix scores_of(std::size_t column) {
    return {memory_.scores.data() + column * memory_.examples, memory_.examples};
  }
  const float* input(std::uint64_t batch, std::size_t example) const {
    return memory_.ahead(batch).inputs.data() + example * memory_.pitch;
  }
  /// What the steps of the examples multiply, in place of the inputs.
  const float* directions(const TeamMemory::Ahead& ahead) const {
    return (parts_.whitening != nullptr ? ahead.turned : ahead.inputs).data();
  }
  std::size_t width() const { return std::size_t{parts_.classes.layout->dimension()} + 1; }
  template <typename Body>
  void for_own_labels(const OwnList& own, const Body& body);
  void gather_rows(const BatchList& list, Range columns);
  void score_entries(std::uint64_t batch, std::size_t examples);
  void weigh(std::uint64_t batch, std::span<const std::uint32_t> examples, float scale);
  void scale_entries(std::uint64_t batch);
  void update_columns(std::uint64_t batch, std::size_t examples, float rate);
  void update_entries(std::uint64_t batch, float rate);
  void apply(ClassId row, const float* step, float rate, float kept);
  RowView own_features(const RowView& row);

  const TeamParts& parts_;
  TeamMemory& memory_;
  std::size_t index_;
  std::size_t members_;
  CounterRandom slots_;
  CounterRandom epoch_;
  EncodedRows rows_;
  AlignedBuffer<float> sums_;
  ColumnSums joined_;
  AlignedBuffer<float> factors_;
  AlignedBuffer<float> gradient_;  // of a share of rows
  std::vector<TableGradient> layers_;
  std::vector<ColumnSums> shares_;
  std::vector<ClassId> labels_;
  std::vector<ClassId> classes_;
  std::vector<FeatureId> numbers_;  // 0, 1, 2 and so on
  std::vector<FeatureId> features_;
  std::vector<float> values_;
  std::vector<float> scratch_;
};

}  // namespace cane
