#include "step/encoded_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/buffer.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

constexpr std::uint32_t kClasses = 3;
constexpr std::uint32_t kDimension = 4;

// A bag of random embeddings under three classes with random rows.
class EncodedRowsTest : public ::testing::Test {
 protected:
  EncodedRowsTest() : data_(small_data()) {
    config_.method = Method::kSoftmax;
    config_.scorer = ScorerKind::kFlat;
    config_.encoder = EncoderKind::kBag;
    config_.dim = kDimension;
    tables_ = make_tables(config_, {}, kClasses, data_.view().dimension(), 1);
    const CounterRandom random(5, RandomPurpose::kSynthetic);
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      weights_.emplace_back(tables_[table].layout.size());
      for (std::size_t i = 0; i < weights_[table].size(); ++i) {
        weights_[table].data()[i] =
            static_cast<float>(random.normal(table, static_cast<std::uint32_t>(i)));
      }
    }
    encoder_ = make_encoder(config_, tables_, views_of(weights_));
  }

  static testing::SmallDataOptions small_data() {
    testing::SmallDataOptions options;
    options.classes = kClasses;
    options.examples = 4;
    options.sparse = true;
    return options;
  }
  EncoderParts parts(float least_step) const {
    return {.encoder = encoder_.get(),
            .first_table = 1,
            .seed = 3,
            .least_step = least_step,
            .classes = {&tables_[kClassTable].layout, weights_[kClassTable].data()},
            .proposal = {}};
  }
  /// Example 0 has short steps, example 1 a long one, example 2 none.
  void add_steps(GradientParts& classes) const {
    classes.add_part(0, 0)[0] = 0.05F;
    classes.add_part(0, 1)[0] = -0.02F;
    classes.add_part(1, 2)[0] = 0.5F;
    classes.add_part(2, 2)[0] = 0.0F;
  }

  testing::SmallData data_;
  TrainConfig config_;
  std::vector<ParameterTable> tables_;
  std::vector<AlignedBuffer<float>> weights_;
  std::unique_ptr<Encoder> encoder_;
};

// Steps by (example, block) of the class table, and by example of the encoder, summed over times.
struct Sums {
  explicit Sums(std::size_t width) : encoder(3 * width, 0.0) {}
  std::vector<double> classes = std::vector<double>(9, 0.0);
  std::vector<double> encoder;
  std::size_t kept = 0;
};

TEST_F(EncodedRowsTest, ShortStepsAreTakenSeldomAndTheirExpectationStays) {
  const DatasetView view = data_.view();
  const std::vector<std::uint32_t> examples = {0, 1, 2};
  constexpr std::uint32_t kTimes = 20'000;
  const auto sums_with = [&](float least_step, std::uint32_t times) {
    Sums sums(kDimension);
    EncodedRows rows(view, parts(least_step));
    GradientParts classes(tables_[kClassTable].layout);
    for (std::uint32_t epoch = 0; epoch < times; ++epoch) {
      rows.gather(examples, false, CounterRandom(1, RandomPurpose::kNoise, epoch));
      classes.clear();
      add_steps(classes);
      std::vector<TableGradient> gradients;
      rows.back(classes, nullptr, gradients);
      for (std::size_t part = 0; part < classes.parts().size(); ++part) {
        const auto [example, node] = classes.parts()[part];
        sums.classes[3 * example + node] += static_cast<double>(classes.steps(part)[0]) / times;
      }
      const GradientParts& bag = *gradients.at(0).parts;
      sums.kept += bag.parts().size();
      for (std::size_t part = 0; part < bag.parts().size(); ++part) {
        for (std::uint32_t c = 0; c < kDimension; ++c) {
          sums.encoder[kDimension * bag.parts()[part].example + c] +=
              static_cast<double>(bag.steps(part)[c]) / times;
        }
      }
    }
    return sums;
  };
  const Sums all = sums_with(0.0F, 1);
  const Sums few = sums_with(0.2F, kTimes);
  EXPECT_EQ(all.kept, 3U);
  EXPECT_NEAR(static_cast<double>(few.kept) / kTimes, 1.25, 0.02);  // a quarter, all, none
  for (std::size_t i = 0; i < all.classes.size(); ++i) {
    EXPECT_NEAR(few.classes[i], all.classes[i], 0.003) << i;
  }
  for (std::size_t i = 0; i < all.encoder.size(); ++i) {
    EXPECT_NEAR(few.encoder[i], all.encoder[i], 0.005) << i;
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
