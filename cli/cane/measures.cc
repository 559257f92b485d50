#include "cli/cane/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/json_lines.h"
#include "cane/names.h"
#include "core/base/bad_line.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

constexpr std::size_t kPairsShown = 5;

using TopShares = std::map<std::uint32_t, double>;

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

template <typename T>
std::optional<double> number_of(const std::optional<T>& value) {
  return value ? std::optional<double>(*value) : std::nullopt;
}
template <typename T>
std::optional<double> number_of(T value) {
  return static_cast<double>(value);
}

void print_line(const std::string& name, const std::string& value) {
  fmt::print("{:<22} {:>12}\n", name, value);
}

void print_confused(const std::vector<ConfusedPair>& pairs,
                    const std::vector<std::string>& labels) {
  for (std::size_t i = 0; i < std::min(kPairsShown, pairs.size()); ++i) {
    fmt::print("{:<22} {:>12}   {} taken for {}\n", i == 0 ? "most confused" : "",
               fmt::format("{} times", count_text(pairs[i].times)), shown(labels[pairs[i].label]),
               shown(labels[pairs[i].answer]));
  }
}

template <typename Measures>
Json as_json(const Measures& measures);

template <typename T>
void set(Json& json, const Measure& measure, const T& value) {
  if constexpr (requires { value.has_value(); }) {
    if (value) {
      set(json, measure, *value);
    } else if (measure.needs != MeasureNeeds::kOption) {
      json[measure.name] = nullptr;
    }
  } else if constexpr (Number<T>) {
    json[measure.name] = value;
  } else if constexpr (std::same_as<T, Probability>) {
    json[measure.name] = name_of(value);
  } else if constexpr (std::same_as<T, TopShares>) {
    Json shares = Json::object();
    for (const auto& [k, share] : value) shares[std::to_string(k)] = share;
    json[measure.name] = shares;
  } else {
    json[measure.name] = as_json(value);
  }
}

template <typename Measures>
Json as_json(const Measures& measures) {
  Json json = Json::object();
  visit_fields(measures,
               [&](const Measure& measure, const auto& member) { set(json, measure, member); });
  return json;
}

template <typename T>
void add_numbers(const Measure& measure, const T& value, std::vector<MeasuredNumber>& numbers) {
  const auto add = [&](const auto& part, const char* part_title, const Measure& of,
                       std::optional<double> number, const char* group) {
    numbers.push_back({fmt::format("{}_{}", measure.name, part),
                       fmt::format("{} {}", measure.title, part_title), of, number, group});
  };
  if constexpr (Number<T> || std::same_as<T, std::optional<double>>) {
    numbers.push_back({measure.name, measure.title, measure, number_of(value)});
  } else if constexpr (std::same_as<T, TopShares>) {
    for (const auto& [k, share] : value) {
      if (k > 1) add(k, std::to_string(k).c_str(), measure, share, nullptr);
    }
  } else if constexpr (requires { value.has_value(); }) {
    if (value) add_numbers(measure, *value, numbers);
  } else if constexpr (!std::same_as<T, Probability>) {
    visit_fields(value, [&](const Measure& part, const auto& number) {
      add(part.name, part.title, part, number_of(number), measure.title);
    });
  }
}

}  // namespace

std::string percent(double share) {
  return fmt::format("{:.2f}%", 100.0 * share);
}

std::string measure_text(MeasureKind kind, double value) {
  constexpr double kShort = 0.1;     // seconds
  constexpr double kLarge = 1000.0;  // from here on a mean is shown without decimals
  switch (kind) {
    case MeasureKind::kShare:
      return percent(value);
    case MeasureKind::kNumber:
      return fmt::format("{:.4f}", value);
    case MeasureKind::kSeconds:
      return value < kShort ? fmt::format("{:.1f} ms", 1e3 * value) : seconds_text(value);
    case MeasureKind::kCount:
      break;
  }
  const bool is_whole = value == std::floor(value);
  return is_whole || value >= kLarge ? count_text(static_cast<std::uint64_t>(std::llround(value)))
                                     : fmt::format("{:.1f}", value);
}

std::vector<MeasuredNumber> measured_numbers(const Evaluation& result) {
  std::vector<MeasuredNumber> numbers;
  visit_fields(result, [&](const Measure& measure, const auto& member) {
    add_numbers(measure, member, numbers);
  });
  return numbers;
}

void print_measures(const Evaluation& result, const std::vector<std::string>& labels) {
  print_line("classes", count_text(labels.size()));
  const std::vector<MeasuredNumber> numbers = measured_numbers(result);
  for (auto number = numbers.begin(); number != numbers.end();) {
    const auto text = [&] {
      return number->value ? measure_text(number->measure.kind, *number->value) : "-";
    };
    const char* const group = number->group;
    std::string line = fmt::format("{:<22} {:>12}", group ? group : number->title, text());
    const bool is_shown = number->value || group;
    // The other numbers of a group are on the line of the first.
    const char* between = "   ";
    while (++number != numbers.end() && group && number->group == group) {
      line += fmt::format("{}{} {}", std::exchange(between, ", "), text(), number->measure.title);
    }
    if (is_shown) fmt::print("{}\n", line);
  }
  if (result.probability != Probability::kNone) {
    print_line("normalised by", name_of(result.probability));
  }
  print_line("examples per second",
             count_text(static_cast<std::uint64_t>(static_cast<double>(result.examples) /
                                                   std::max(result.seconds, 1e-9))));
  if (result.details) print_confused(result.details->confused, labels);
}

Json measures_json(const Evaluation& result) {
  return as_json(result);
}

std::string measures_help() {
  std::string help;
  visit_fields(Evaluation(), [&](const Measure& measure, const auto&) {
    help += fmt::format("  {:<20} {}\n", measure.title, measure.help);
  });
  return help;
}

}  // namespace cane::cli
