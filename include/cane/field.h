// One row in the field list of a configuration: everything known about an option except its
// default, which is the initialiser of the member. The command line, model files, validation and
// docs/options.md are all generated from these lists; cane/fields.h holds the lists of the library.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <type_traits>

namespace cane {

/// The range of numbers that a field accepts. Values that mean "auto" may lie outside it.
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

  /// This number means "auto".
  constexpr Field or_auto(double number) const {
    Field field = *this;
    field.automatic = number;
    return field;
  }
  /// More than this makes no sense for any data, so nobody may ask for it. A file may hold more:
  /// what was chosen for its data.
  constexpr Field asked_at_most(double number) const {
    Field field = *this;
    field.most_asked = number;
    return field;
  }
  /// Accepted values, if they do not follow from the type of the member.
  constexpr Field takes(const char* text) const {
    Field field = *this;
    field.values = text;
    return field;
  }
  /// The spelling in a program, if it differs from the name, and an old spelling that is still
  /// accepted.
  constexpr Field spelled(const char* now, const char* before = "") const {
    Field field = *this;
    field.flag = now;
    field.old_flag = before;
    return field;
  }
  /// For a member that defaults to true: the flag sets it to false.
  constexpr Field turned_off_by(const char* name_of_flag) const {
    Field field = spelled(name_of_flag);
    field.turns_off = true;
    return field;
  }
  /// The value names a file that is read; values that are no file's name may be allowed, too.
  constexpr Field reads_file() const {
    Field field = *this;
    field.is_input = true;
    return field;
  }
  constexpr Field not_stored() const {
    Field field = *this;
    field.stored = false;
    return field;
  }
  /// The version that introduced the field. A file without it is older, so the default must
  /// reproduce the behaviour of the older versions.
  constexpr Field added_in(const char* version) const {
    Field field = *this;
    field.since = version;
    return field;
  }

  const char* name;   // name of the member; programs and files write hash_bits as hash-bits
  const char* group;  // heading in a program's help; empty: set by programs, not users
  const char* help;
  Range range;
  double most_asked = std::numeric_limits<double>::infinity();
  std::optional<double> automatic = std::nullopt;
  const char* values = "";
  const char* flag = "";
  const char* old_flag = "";
  bool turns_off = false;
  bool is_input = false;
  bool stored = true;  // written to model files and checkpoints
  const char* since = "0.1";
};

/// Accepts T and const T.
template <typename Maybe, typename T>
concept MaybeConst = std::same_as<std::remove_const_t<Maybe>, T>;

}  // namespace cane
