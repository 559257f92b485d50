#include <fmt/format.h>

#include "app/json.h"
#include "app/options.h"
#include "app/output.h"
#include "cane/model.h"
#include "cli/cane/verbs.h"

namespace cane::cli {
namespace {

constexpr const char* kClosing =
    "Example:\n"
    "  cane inspect shop.safetensors\n"
    "  cane inspect shop.safetensors --labels | head";

std::string as_json(const Model& model, bool with_labels) {
  JsonObject json;
  for (const auto& [name, value] : model.description()) json.set_parsed(name, value);
  if (with_labels) json.set("labels", model.labels());
  return json.text() + '\n';
}

}  // namespace

int run_inspect(const Verb& verb, const Arguments& arguments) {
  std::string model_path;
  bool with_labels = false;
  bool json = false;
  Options options(verb, kClosing);
  options.positional("MODEL", model_path, "what `cane train` has written");
  options.flag("labels", with_labels, "print the labels, one a line");
  options.flag("json", json, "print one JSON object");
  if (!options.parse(arguments)) return kExitDone;

  const Model model = Model::load(model_path);
  Output output("");
  if (json) {
    output.write(as_json(model, with_labels));
  } else if (with_labels) {
    for (const std::string& label : model.labels()) output.write(label + '\n');
  } else {
    for (const auto& [name, value] : model.description()) {
      output.write(fmt::format("{:<18} {}\n", name, value));
    }
  }
  output.finish();
  return kExitDone;
}

}  // namespace cane::cli
