// Options: as JSON in a model, as the spec of a comparison, as the text of a value.
#include "app/spec.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "fuzz/targets.h"
#include "methods/check_config.h"
#include "model/config_json.h"

namespace cane::fuzz {
namespace {

std::string text_of(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

void read_config(Bytes input) {
  const StoredOptions stored = config_from_json(text_of(input), {.path = "m", .writer = "cane"});
  check_config(stored.config);
  config_from_json(config_to_json(stored.config, stored.retired), {.path = "m", .writer = "cane"});
}

void read_spec(Bytes input) {
  cli::for_each_spec("--methods", text_of(input), [](const cli::Spec& spec) {
    TrainConfig config;
    DataOptions data;
    for (const std::string& part : spec.parts) {
      const std::size_t equals = std::min(part.find('='), part.size());
      const std::string value = part.substr(std::min(equals + 1, part.size()));
      if (!set_field(config, part.substr(0, equals), value)) {
        set_field(data, part.substr(0, equals), value);
      }
    }
    check_config(config);
  });
}

constexpr Target kOptionTargets[] = {{"config", read_config}, {"spec", read_spec}};

}  // namespace

std::span<const Target> option_targets() {
  return kOptionTargets;
}

}  // namespace cane::fuzz
