// A smaller problem of the same kind: some of the classes with all of their examples. The classes
// are taken in neighbourhoods of classes with similar means, which are hard to tell apart, so that
// what makes the whole problem hard is in it. A class is seen as often as in the whole training, so
// rates and starts that are best here are best there; a part of the examples of all classes would
// not show that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "cane/dataset.h"
#include "core/base/types.h"

namespace cane {

struct Replica {
  Dataset train;
  Dataset held_out;          // a fifth of the examples
  std::size_t left_out = 0;  // classes of the data that it does not have
};

/// Takes about `classes` classes; if frequencies differ much, none of the most frequent and some
/// more of the others. `order` lists all classes of the data, similar ones next to each other. Its
/// result is a function of the seed and the other arguments. Nothing if no example can be held out:
/// every class that was taken has one.
std::optional<Replica> make_replica(const Dataset& data, std::span<const ClassId> order,
                                    std::size_t classes, std::uint64_t seed);

}  // namespace cane
