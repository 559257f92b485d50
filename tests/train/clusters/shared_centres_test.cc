// Labels: threads
#include "train/clusters/shared_centres.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/mapped_data.h"
#include "support/thread_ranks.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 300;

// A rank's part of the examples, with weights that sum to different bits in another order.
struct Part {
  Part(const DatasetView& all, const Communicator& ranks) {
    const auto count = static_cast<std::size_t>(ranks.ranks());
    const auto rank = static_cast<std::size_t>(ranks.rank());
    for (std::size_t row = all.size() * rank / count; row < all.size() * (rank + 1) / count;
         ++row) {
      rows.push_back(row);
      labels.push_back(all.label(row));
      weights.push_back(1.0F / static_cast<float>(row % 7 + 1));
    }
    view = all.with_rows(rows, labels, weights);
  }
  std::vector<std::uint64_t> rows;
  std::vector<ClassId> labels;
  std::vector<float> weights;
  DatasetView view;
};

class SharedCentres : public ::testing::TestWithParam<bool> {};

TEST_P(SharedCentres, AreThoseOfOneProcessToTheBit) {
  const testing::MappedData mapped(3000, GetParam(), kClasses);
  const Part whole(mapped.view(), Communicator());
  ThreadPool one_thread(1);
  const ClassCentres expected(whole.view, kClasses, one_thread);
  const std::uint64_t bytes = mapped.view().stored_bytes();
  for (const std::uint64_t group_bytes : {std::uint64_t{1}, bytes / 10, 2 * bytes}) {
    run_ranks(3, [&](Communicator& ranks) {
      const Part part(mapped.view(), ranks);
      ThreadPool pool(2);
      const ClassCentres centres = shared_centres(part.view, kClasses, pool, ranks, group_bytes);
      for (ClassId label = 0; label < kClasses; ++label) {
        const RowView row = centres.row(label);
        const RowView same = expected.row(label);
        ASSERT_EQ(row.count, same.count) << label;
        ASSERT_EQ(row.indices == nullptr, same.indices == nullptr);
        for (std::uint32_t i = 0; i < row.count; ++i) {
          if (same.indices != nullptr) {
            ASSERT_EQ(row.indices[i], same.indices[i]) << label;
          }
          ASSERT_EQ(row.values[i], same.values[i]) << label;
        }
      }
    });
  }
}

TEST_P(SharedCentres, HaveTheCountsOfOneProcessWithAndWithoutWeights) {
  const testing::MappedData mapped(3000, GetParam(), kClasses);
  const Part whole(mapped.view(), Communicator());
  run_ranks(3, [&](Communicator& ranks) {
    const Part part(mapped.view(), ranks);
    EXPECT_EQ(shared_class_counts(part.view, kClasses, ranks), class_counts(whole.view, kClasses));
    EXPECT_EQ(shared_class_counts(part.view.with_weights({}), kClasses, ranks),
              class_counts(whole.view.with_weights({}), kClasses));
  });
}

INSTANTIATE_TEST_SUITE_P(SparseAndDense, SharedCentres, ::testing::Bool(),
                         [](const auto& instance) { return instance.param ? "dense" : "sparse"; });

}  // namespace CANE_THIS_FILE
}  // namespace cane
