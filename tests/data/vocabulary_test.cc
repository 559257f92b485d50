#include "data/vocabulary.h"

#include <gtest/gtest.h>

#include <set>

namespace cane {
namespace {

TEST(Fingerprint, ChangesWithEveryPart) {
  Vocabulary base;
  base.labels = {"a", "bc"};
  base.words = {"x"};
  std::vector<Vocabulary> variants(9, base);
  variants[1].labels = {"ab", "c"};
  variants[2].labels = {"bc", "a"};
  variants[3].words = {"x", ""};
  variants[4].words = {};
  variants[5].feature_kind = FeatureKind::kHashedWords;
  variants[6].hash_bits = 18;
  variants[7].dimension = 1;
  variants[8].normalize = Normalize::kL2;
  std::set<std::uint64_t> prints;
  for (const Vocabulary& variant : variants) prints.insert(fingerprint(variant));
  EXPECT_EQ(prints.size(), variants.size());
  EXPECT_EQ(fingerprint(base), fingerprint(Vocabulary(base)));
}

}  // namespace
}  // namespace cane
