// Options that one rank has chosen, on all ranks.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cane/fields.h"
#include "core/base/field_text.h"
#include "core/parallel/communicator.h"
#include "core/parallel/packing.h"

namespace cane {

/// Sets every field to its value on the first rank. All ranks call it.
template <typename Options>
void take_options_of_first(Options& options, Communicator& ranks) {
  if (ranks.is_alone()) return;
  Bytes message;
  visit_fields(options, [&](const Field& field, const auto& value) {
    pack_text(value_text(field, value), message);
  });
  std::vector<std::string> values;
  for_each_text(ranks.broadcast(std::move(message)),
                [&](std::string_view text) { values.emplace_back(text); });
  std::size_t next = 0;
  visit_fields(options, [&](const Field& field, auto& value) {
    value = parse_value<std::decay_t<decltype(value)>>(field, values.at(next++));
  });
}

}  // namespace cane
