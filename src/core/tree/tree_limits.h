// What every builder of trees asks of its arguments.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cane {

/// Throws Error if a node of this arity could not branch.
void check_arity(std::uint32_t arity);

/// Throws Error if there are fewer than two classes, or so many that nodes could not be numbered.
void check_class_count(std::size_t classes);

}  // namespace cane
