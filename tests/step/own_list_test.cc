#include "step/own_list.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "core/base/random.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 700;
constexpr std::uint32_t kShards = 8;

struct Lists {
  explicit Lists(const ListMaker::Rules& rules, std::uint64_t seed)
      : law(std::vector<std::uint64_t>(kClasses, 1), 0.0F, rules.shared),
        maker(law, kClasses, rules) {
    const CounterRandom random(seed, RandomPurpose::kSynthetic);
    std::vector<ClassId> drawn;
    for (std::uint32_t e = 0; e < 90; ++e) {
      labels.push_back(static_cast<ClassId>(random.below(kClasses, e, 0)));
    }
    for (std::uint32_t i = 0; i < maker.slots(); ++i) drawn.push_back(law.draw(random, 0, i));
    maker.make(labels, drawn, all);
  }
  SlotLaw law;
  ListMaker maker;
  std::vector<ClassId> labels;
  BatchList all;
};

std::vector<ListMaker::Rules> rules() {
  std::vector<ListMaker::Rules> rules = {
      {{}, false, 300}, {{2, 3, 64, 500}, false, 40}, {{}, true, 100}};
  ListMaker::Rules& every = rules.emplace_back();
  for (ClassId k = 0; k < kClasses; ++k) every.shared.push_back(k);
  return rules;
}

// The parts of all ranks together say what the whole list says.
TEST(OwnList, PartsMakeTheWhole) {
  for (const ListMaker::Rules& rule : rules()) {
    const Lists lists(rule, 1);
    const BatchList& all = lists.all;
    std::map<ClassId, float> expected;
    for (std::size_t c = 0; c < all.columns.size(); ++c) expected[all.columns[c]] = all.offsets[c];
    for (const int ranks : {1, 3, 8}) {
      std::size_t columns = 0;
      std::size_t shifts = 0;
      std::size_t entries = 0;
      std::vector<int> found(lists.labels.size(), 0);
      for (int rank = 0; rank < ranks; ++rank) {
        const ClassPart part({kClasses, kShards}, shards_of_rank(kShards, rank, ranks));
        OwnList own;
        own.take(all, part, lists.maker.lists_all());
        std::map<std::uint32_t, ClassId> classes;  // by row
        for (ClassId k = 0; k < kClasses; ++k) {
          if (part.has(k)) classes[part.row(k)] = k;
        }
        for (std::size_t c = 0; c < own.list.columns.size(); ++c) {
          EXPECT_EQ(own.list.offsets[c], expected.at(classes.at(own.list.columns[c])));
        }
        for (std::size_t e = 0; e < lists.labels.size(); ++e) {
          const auto& [column, entry, offset] = own.list.labels[e];
          EXPECT_EQ(offset, all.labels[e].offset);
          if (column == BatchList::kNone && entry == BatchList::kNone) continue;
          ++found[e];
          const std::uint32_t row = column != BatchList::kNone ? own.list.columns[column]
                                                               : own.list.entries[entry].class_id;
          EXPECT_EQ(classes.at(row), lists.labels[e]);
        }
        for (std::size_t i = 0; i < own.list.entries.size(); ++i) {
          EXPECT_EQ(own.entries[i], part.index_of(classes.at(own.list.entries[i].class_id)));
        }
        columns += own.list.columns.size();
        shifts += own.list.shifts.size();
        entries += own.list.entries.size();
        EXPECT_EQ(own.num_columns, all.columns.size());
        EXPECT_EQ(own.num_entries, all.entries.size());
      }
      EXPECT_EQ(columns, all.columns.size());
      EXPECT_EQ(shifts, all.shifts.size());
      EXPECT_EQ(entries, all.entries.size());
      EXPECT_EQ(found, std::vector<int>(lists.labels.size(), 1));
    }
  }
}

// What a shard has, and how it is cut, does not depend on who has the other shards.
TEST(OwnList, SharesKeepToTheirShards) {
  for (const ListMaker::Rules& rule : rules()) {
    const Lists lists(rule, 2);
    OwnList whole;
    const ClassPart everything({kClasses, kShards}, {0, kShards});
    whole.take(lists.all, everything, lists.maker.lists_all());
    std::uint32_t share = 0;
    for (int rank = 0; rank < 3; ++rank) {
      const ClassPart part({kClasses, kShards}, shards_of_rank(kShards, rank, 3));
      OwnList own;
      own.take(lists.all, part, lists.maker.lists_all());
      ASSERT_EQ(own.shards.size(), part.own().count() + 1);
      for (std::uint32_t i = 0; i < part.own().count(); ++i) {
        const std::uint32_t shard = part.own().begin + i;
        EXPECT_EQ(own.shards[i + 1] - own.shards[i], whole.shards[shard + 1] - whole.shards[shard]);
      }
      for (std::size_t i = 0; i < own.num_shares(); ++i, ++share) {
        const std::uint32_t size = own.shares[i + 1] - own.shares[i];
        EXPECT_EQ(size, whole.shares[share + 1] - whole.shares[share]);
        EXPECT_GT(size, 0U);
        EXPECT_LE(size, kTeamShare);
      }
    }
    EXPECT_EQ(share, whole.num_shares());
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
