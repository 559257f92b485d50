#include "train/parallel/slice_exchange.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/parallel/packing.h"

namespace cane {
namespace {

// Everything in a message is a multiple of four bytes long, so that numbers in it are aligned.
struct GradientHead {
  std::uint32_t table;
  std::uint32_t parts;
  std::uint32_t rows;
  std::uint32_t is_probability;
};
struct RowHead {
  std::uint32_t count;
  std::uint32_t is_sparse;
};

void pack_gradient(const TableGradient& gradient, std::size_t slot, Bytes& message) {
  const auto parts = gradient.parts->parts();
  pack_value(GradientHead{static_cast<std::uint32_t>(gradient.table),
                          static_cast<std::uint32_t>(parts.size()),
                          static_cast<std::uint32_t>(gradient.rows.size()),
                          gradient.is_probability ? 1U : 0U},
             message);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    pack_value(parts[part], message);
    pack_values(std::span<const float>(gradient.parts->steps(part), slot), message);
  }
  for (const RowView& row : gradient.rows) {
    pack_value(RowHead{row.count, row.indices != nullptr ? 1U : 0U}, message);
    if (row.indices != nullptr) pack_values(std::span(row.indices, row.count), message);
    pack_values(std::span(row.values, row.count), message);
  }
}

void pack_slice(std::span<const TableGradient> gradients, const std::vector<ParameterTable>& tables,
                Bytes& message) {
  pack_value(static_cast<std::uint32_t>(gradients.size()), message);
  for (const TableGradient& gradient : gradients) {
    pack_gradient(gradient, tables[gradient.table].layout.widest_stride(), message);
  }
}

template <typename Value>
const Value* taken(Unpacking& message, std::size_t count) {
  return reinterpret_cast<const Value*>(message.take(count * sizeof(Value)).data());
}

RowView unpack_row(Unpacking& message) {
  const auto head = message.value<RowHead>();
  RowView row = {};
  row.count = head.count;
  if (head.is_sparse != 0) row.indices = taken<FeatureId>(message, head.count);
  row.values = taken<float>(message, head.count);
  return row;
}

}  // namespace

Bytes packed_gradients(std::span<const std::span<const TableGradient>> slices,
                       const std::vector<ParameterTable>& tables) {
  Bytes message;
  for (const auto& gradients : slices) pack_slice(gradients, tables, message);
  return message;
}

bool SliceExchange::exchange(std::span<StepStats> stats,
                             std::span<std::span<const TableGradient>> gradients, bool wants_stop) {
  if (ranks_.is_alone()) return wants_stop;
  Bytes own;
  pack_value(std::uint32_t{wants_stop ? 1U : 0U}, own);
  for (std::size_t slice = 0; slice < stats.size(); ++slice) {
    if (!is_own(slice)) continue;
    pack_value(stats[slice], own);
    pack_slice(gradients[slice], tables_, own);
  }
  messages_ = ranks_.all_gather(std::move(own));
  std::vector<Unpacking> rest(messages_.begin(), messages_.end());
  bool stops = false;
  for (Unpacking& message : rest) stops = message.value<std::uint32_t>() != 0 || stops;
  received_.resize(std::max(received_.size(), stats.size()));
  for (std::size_t slice = 0; slice < stats.size(); ++slice) {
    if (is_own(slice)) continue;
    Unpacking& message = rest[static_cast<std::size_t>(owner(slice))];
    Received& to = received_[slice];
    to = {};
    stats[slice] = message.value<StepStats>();
    const auto tables = message.value<std::uint32_t>();
    to.parts.reserve(tables);
    to.rows.resize(tables);
    for (std::uint32_t i = 0; i < tables; ++i) {
      const auto head = message.value<GradientHead>();
      GradientParts& parts = to.parts.emplace_back(tables_.at(head.table).layout);
      const std::size_t slot = tables_[head.table].layout.widest_stride();
      for (std::uint32_t part = 0; part < head.parts; ++part) {
        const auto [example, node] = message.value<GradientParts::Part>();
        std::copy_n(taken<float>(message, slot), slot, parts.add_part(example, node));
      }
      for (std::uint32_t row = 0; row < head.rows; ++row) {
        to.rows[i].push_back(unpack_row(message));
      }
      to.gradients.push_back({head.table, &parts, to.rows[i], head.is_probability != 0});
    }
    gradients[slice] = to.gradients;
  }
  return stops;
}

}  // namespace cane
