#include "train/classes/sharded_answers.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "data/rows/row_gather.h"

namespace cane {
namespace {

struct SliceRows {
  RowGather gather;
  Encoder::Workspace encoder;
};

}  // namespace

void find_answers(
    ShardedSearch& search, const DatasetView& data, const Encoder* encoder, bool wants_dense,
    std::size_t batch,
    const std::function<void(std::size_t example, std::span<const ClassId> classes)>& each) {
  const CounterRandom random(0, RandomPurpose::kEstimate);  // nothing is drawn without labels
  std::vector<SliceRows> slices((batch + ShardedSearch::kSliceExamples - 1) /
                                ShardedSearch::kSliceExamples);
  std::vector<std::uint32_t> examples;
  const std::vector<ClassId> labels(batch, kUnknownClass);
  const auto rows_of = [&](std::size_t slice, std::span<const std::uint32_t> numbers) {
    const auto rows = slices[slice].gather.gather(data, numbers, wants_dense);
    return encoder == nullptr ? rows : encoder->encode(rows, slices[slice].encoder);
  };
  for (std::size_t first = 0; first < data.size(); first += batch) {
    examples.resize(std::min(batch, data.size() - first));
    std::iota(examples.begin(), examples.end(), static_cast<std::uint32_t>(first));
    search.run(examples, std::span(labels).first(examples.size()), rows_of, random, false);
    for (std::size_t i = 0; i < search.slices(); ++i) {
      const ShardedSearch::Slice& slice = search.slice(i);
      for (std::size_t e = 0; e < slice.examples.size(); ++e) {
        each(first + slice.first + e, slice.merged->classes(e));
      }
    }
  }
}

}  // namespace cane
