#include "train/clusters/shared_centres.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/parallel/packing.h"
#include "data/rows/joined_rows.h"

namespace cane {
namespace {

void pack_row(const RowView& row, Bytes& bytes) {
  pack_value(row.count, bytes);
  if (row.indices != nullptr) pack_values(std::span(row.indices, row.count), bytes);
  pack_values(std::span(row.values, row.count), bytes);
}

/// Rows of some consecutive classes, which are numbered from 0 here.
struct Rows : JoinedRows {
  explicit Rows(const DatasetView& data) : JoinedRows(data.is_dense(), data.dimension()) {}

  /// The rows follow those that were added before.
  void add_examples(std::span<const std::byte> bytes) {
    for (Unpacking message(bytes); !message.is_empty();) {
      labels.push_back(message.value<ClassId>());
      weights.push_back(message.value<float>());
      add_row(message);
    }
  }
  void add_row(Unpacking& message) {
    const auto count = message.value<std::uint32_t>();
    if (!is_dense) message.append(count, indices);
    message.append(count, values);
    offsets.push_back(values.size());
  }
  RowView row(std::size_t number) const {
    return {is_dense ? nullptr : indices.data() + offsets[number], values.data() + offsets[number],
            static_cast<std::uint32_t>(offsets[number + 1] - offsets[number])};
  }
};

/// The first class of each group, and the number of classes: groups whose rows, over all ranks,
/// take about as many bytes.
std::vector<ClassId> group_begins(const DatasetView& data, std::uint32_t classes,
                                  std::uint64_t group_bytes, Communicator& ranks) {
  std::vector<std::uint64_t> examples(classes, 0);
  for (const ClassId label : data.labels()) {
    if (label < classes) ++examples[label];
  }
  ranks.sum(std::span(examples));
  const std::uint64_t bytes = ranks.sum(data.stored_bytes());
  const std::uint64_t rows =
      std::max<std::uint64_t>(ranks.sum(static_cast<std::uint64_t>(data.size())), 1);
  const std::uint64_t most = group_bytes / (bytes / rows + 1);
  std::vector<ClassId> begins;
  std::uint64_t taken = 0;
  for (ClassId label = 0; label < classes; ++label) {
    if (begins.empty() || taken + examples[label] > most) {
      begins.push_back(label);
      taken = 0;
    }
    taken += examples[label];
  }
  begins.push_back(classes);
  return begins;
}

/// The examples of some groups, one for each rank, in data order.
std::vector<Bytes> pack_groups(const DatasetView& data, std::span<const ClassId> begins,
                               std::size_t ranks) {
  std::vector<Bytes> messages(ranks);
  std::vector<float> scratch(data.is_dense() ? data.dimension() : 0);
  for (std::size_t example = 0; example < data.size(); ++example) {
    const ClassId label = data.label(example);
    if (label < begins.front() || label >= begins.back()) continue;
    const auto after = std::upper_bound(begins.begin(), begins.end(), label);
    const auto group = static_cast<std::size_t>(after - begins.begin()) - 1;
    const ClassId place = label - begins[group];
    const float weight = data.weight(example);
    pack_value(place, messages[group]);
    pack_value(weight, messages[group]);
    pack_row(data.row(example, scratch), messages[group]);
  }
  return messages;
}

/// The centres of the classes of a group, whose examples have come from all ranks.
Bytes centres_of_group(std::span<const Bytes> parts, std::uint32_t classes, const DatasetView& data,
                       ThreadPool& pool) {
  Rows rows(data);
  for (const Bytes& part : parts) rows.add_examples(part);
  const ClassCentres centres(rows.view(), classes, pool);
  Bytes bytes;
  for (ClassId label = 0; label < classes; ++label) pack_row(centres.row(label), bytes);
  return bytes;
}

}  // namespace

ClassCentres shared_centres(const DatasetView& data, std::uint32_t classes, ThreadPool& pool,
                            Communicator& ranks, std::uint64_t group_bytes) {
  if (ranks.is_alone()) return {data, classes, pool};
  const std::vector<ClassId> begins = group_begins(data, classes, group_bytes, ranks);
  const std::size_t groups = begins.size() - 1;
  const auto at_once = static_cast<std::size_t>(ranks.ranks());
  ClassCentres all(classes, data.dimension(), data.is_dense());
  for (std::size_t first = 0; first < groups; first += at_once) {
    const std::size_t count = std::min(at_once, groups - first);
    const auto now = std::span(begins).subspan(first, count + 1);
    const std::vector<Bytes> parts = ranks.all_to_all(pack_groups(data, now, at_once));
    const auto own = static_cast<std::size_t>(ranks.rank());
    Bytes centres;
    if (own < count) centres = centres_of_group(parts, now[own + 1] - now[own], data, pool);
    for (const Bytes& group : ranks.all_gather(std::move(centres))) {
      Rows rows(data);
      for (Unpacking message(group); !message.is_empty();) rows.add_row(message);
      for (std::size_t label = 0; label + 1 < rows.offsets.size(); ++label) {
        all.append(rows.row(label));
      }
    }
  }
  return all;
}

// Sums of whole numbers do not depend on their order; sums of weights do.
std::vector<double> shared_class_counts(const DatasetView& data, std::uint32_t classes,
                                        Communicator& ranks) {
  if (ranks.sum(data.has_weights() ? 1 : 0) == 0) {
    std::vector<double> counts = class_counts(data, classes);
    ranks.sum(std::span(counts));
    return counts;
  }
  Bytes own;
  for (std::size_t example = 0; example < data.size(); ++example) {
    const ClassId label = data.label(example);
    const float weight = data.weight(example);
    pack_value(label, own);
    pack_value(weight, own);
  }
  std::vector<double> counts(classes, 0.0);
  for (const Bytes& part : ranks.all_gather(std::move(own))) {
    for (Unpacking message(part); !message.is_empty();) {
      const auto label = message.value<ClassId>();
      const auto weight = static_cast<double>(message.value<float>());
      if (label < classes) counts[label] += weight;
    }
  }
  return counts;
}

}  // namespace cane
