#include "cli/cane/compare/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "app/spec.h"
#include "cane/error.h"
#include "cane/names.h"
#include "cli/cane/train_options.h"
#include "methods/method_table.h"

namespace cane::cli {
namespace {

template <typename Enum>
void require_name(const char* what, const std::string& typed) {
  std::vector<std::string_view> names;
  for (const auto& entry : named_values<Enum>()) names.emplace_back(entry.name);
  if (std::find(names.begin(), names.end(), typed) != names.end()) return;
  throw Error(fmt::format("there is no {} '{}'{}; there are {}", what, typed,
                          suggestion(typed, names), fmt::join(names, ", ")));
}

// The options of one specification; each may be given once.
class SpecOptions {
 public:
  explicit SpecOptions(TrainConfig& config) : options_({"compare", "", nullptr}, "") {
    add_method_options(options_, config);
    add_learning_options(options_, config);
  }

  void assign(const std::string& name, const std::string& text) {
    options_.assign(name, text);
    if (!given_.insert(name).second) {
      throw Error(fmt::format("it says {} twice; leave one out", name));
    }
  }

  std::vector<std::pair<std::string, std::string>> values() const { return options_.values(); }

 private:
  Options options_;
  std::set<std::string> given_;
};

void read_selector(const std::string& part, Method method, SpecOptions& options) {
  require_name<SelectorKind>("selector", part);
  if (!row_of(method).has_candidates) {
    throw Error(
        fmt::format("only cane has selectors; leave ':{}' out, or write cane:{}", part, part));
  }
  options.assign("select", part);
}

void read_counts(const std::string& part, Method method, SpecOptions& options) {
  const std::size_t plus = part.find('+');
  const bool has_candidates = plus != std::string::npos;
  const MethodRow& row = row_of(method);
  if (!row.has_noises()) {
    throw Error(fmt::format("{} takes no number of noises; leave ':{}' out", row.name, part));
  }
  if (row.has_candidates && !has_candidates) {
    throw Error(
        fmt::format("{} takes candidates and noises; write {}+1 for {} candidates and 1 noise",
                    row.name, part, part));
  }
  if (!row.has_candidates && has_candidates) {
    throw Error(fmt::format("{} has no candidates; write {}:{} for {} noises", row.name, row.name,
                            part.substr(plus + 1), part.substr(plus + 1)));
  }
  if (has_candidates) options.assign("candidates", part.substr(0, plus));
  options.assign("noises", part.substr(has_candidates ? plus + 1 : 0));
}

void read_parts(const std::vector<std::string>& parts, TrainConfig& config) {
  SpecOptions options(config);
  require_name<Method>("method", parts[0]);
  options.assign("method", parts[0]);
  const Method method = config.method;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (const std::size_t equals = part.find('='); equals != std::string::npos) {
      options.assign(part.substr(0, equals), part.substr(equals + 1));
    } else if (std::isdigit(static_cast<unsigned char>(part[0])) != 0) {
      read_counts(part, method, options);
    } else {
      read_selector(part, method, options);
    }
  }
}

}  // namespace

std::vector<MethodSpec> parse_methods(const std::string& list, const TrainConfig& common) {
  std::vector<MethodSpec> specs;
  for_each_spec("--methods", list, [&](const Spec& spec) {
    specs.push_back({spec.text, common});
    read_parts(spec.parts, specs.back().config);
  });
  return specs;
}

std::vector<std::pair<std::string, std::string>> method_options(TrainConfig config) {
  return SpecOptions(config).values();
}

}  // namespace cane::cli
