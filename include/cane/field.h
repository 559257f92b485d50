// A row in the list of fields of a configuration: what is known of an option but its default, which
// is the initialiser of the member. Command line, model files, checks and docs/options.md are made
// from the lists; cane/fields.h has those of the library.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <type_traits>

namespace cane {

/// The numbers that a field takes. Values that mean "auto" need not be in it.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool without_least = false;
  bool without_most = false;
};

constexpr Range at_least(double least) {
  return {.least = least};
}
constexpr Range above(double least) {
  return {.least = least, .without_least = true};
}
constexpr Range at_most(double most) {
  return {.most = most};
}
constexpr Range from_to(double least, double most) {
  return {.least = least, .most = most};
}
constexpr Range between(double least, double most) {
  return {.least = least, .most = most, .without_least = true, .without_most = true};
}
constexpr Range above_to(double least, double most) {
  return {.least = least, .most = most, .without_least = true};
}
constexpr Range from_to_below(double least, double most) {
  return {.least = least, .most = most, .without_most = true};
}

struct Field {
  constexpr Field(const char* member, const char* heading, const char* text, Range numbers = {})
      : name(member), group(heading), help(text), range(numbers) {}

  /// This number stands for "auto".
  constexpr Field or_auto(double number) const {
    Field field = *this;
    field.automatic = number;
    return field;
  }
  /// What can be given, where the type of the member does not say it.
  constexpr Field takes(const char* text) const {
    Field field = *this;
    field.values = text;
    return field;
  }
  /// How a program spells it, where that is not the name; and how it once did, still accepted.
  constexpr Field spelled(const char* now, const char* before = "") const {
    Field field = *this;
    field.flag = now;
    field.old_flag = before;
    return field;
  }
  /// Of what is true unless the user says otherwise: the flag makes it false.
  constexpr Field turned_off_by(const char* name_of_flag) const {
    Field field = spelled(name_of_flag);
    field.turns_off = true;
    return field;
  }
  constexpr Field not_stored() const {
    Field field = *this;
    field.stored = false;
    return field;
  }
  /// The version that brought it. A file that lacks it was written before, so the default must do
  /// what was done then.
  constexpr Field added_in(const char* version) const {
    Field field = *this;
    field.since = version;
    return field;
  }

  const char* name;   // that of the member; programs and files write rebuild_tree as rebuild-tree
  const char* group;  // the heading under which a program lists it; empty: programs set it
  const char* help;
  Range range;
  std::optional<double> automatic = std::nullopt;
  const char* values = "";
  const char* flag = "";
  const char* old_flag = "";
  bool turns_off = false;
  bool stored = true;  // in model files and checkpoints
  const char* since = "0.1";
};

/// T or const T.
template <typename Maybe, typename T>
concept MaybeConst = std::same_as<std::remove_const_t<Maybe>, T>;

}  // namespace cane
