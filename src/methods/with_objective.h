// Dispatches on the objective once, outside the loop over a batch: inside it the functor is a
// concrete type whose call is inlined. Host and device code use the same functors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <type_traits>

#include "methods/method_table.h"

namespace cane {

/// Sets the number of classes on functors that have a member `classes`.
template <typename Functor>
constexpr Functor make_objective(std::uint32_t classes) {
  if constexpr (requires { &Functor::classes; }) {
    return Functor{classes};
  } else {
    return Functor{};
  }
}

/// Calls `body` with the functor of the method's row and returns its result. Throws if the method
/// has no objective.
template <std::size_t place = 0, typename Body>
auto with_objective(Method method, std::uint32_t classes, const Body& body)
    -> decltype(body(Softmax{})) {
  using Entries = std::remove_cv_t<decltype(kMethodEntries)>;
  if constexpr (place == std::tuple_size_v<Entries>) {
    throw std::logic_error("a method without an objective was asked for one");
  } else {
    using Functor = typename std::tuple_element_t<place, Entries>::Objective;
    if constexpr (!std::is_same_v<Functor, NoObjective>) {
      if (std::get<place>(kMethodEntries).row.kind == method) {
        return body(make_objective<Functor>(classes));
      }
    }
    return with_objective<place + 1>(method, classes, body);
  }
}

}  // namespace cane
