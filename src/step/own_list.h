// What a batch's list says about the classes that are here: the columns, shifts and entries of the
// other ranks' classes are left out, and a class is called by its row. Columns stand shard after
// shard, and each shard is cut into shares, so that what is computed of a shard does not depend on
// who has the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "step/batch_list.h"
#include "step/class_shards.h"

namespace cane {

/// Columns whose maxima and sums are taken together: few enough to divide them evenly among
/// threads, enough for the products.
inline constexpr std::size_t kTeamShare = 32;

struct OwnList {
  BatchList list;               // a label that is elsewhere is in no column, and no entry
  std::size_t num_columns = 0;  // these two here and elsewhere
  std::size_t num_entries = 0;
  std::vector<std::uint32_t> shares;   // first column of each, and the end
  std::vector<std::uint32_t> shards;   // first share of each own shard, and the end
  std::vector<std::uint32_t> entries;  // which own shard has it, for each entry

  /// Cuts the list, which has all classes, into shares.
  void cut();
  /// `all`: the list that every rank makes. `lists_all`: its columns are the same in every batch.
  void take(const BatchList& all, const ClassPart& part, bool lists_all);
  std::size_t num_shares() const { return shares.size() - 1; }

 private:
  void take_columns(const BatchList& all, const ClassPart& part);

  std::vector<std::uint32_t> ends_;    // of the columns of each own shard
  std::vector<std::uint32_t> places_;  // of the columns of all, here
};

}  // namespace cane
