#include "cli/cane-lm/head_spec.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <set>

#include "app/options.h"
#include "app/spec.h"
#include "cane/error.h"
#include "cli/cane-lm/common_options.h"

namespace cane::lm {
namespace {

void read_parts(const cli::Spec& spec, HeadSpec& head) {
  cli::Options options({"compare", "", nullptr}, "");
  add_model_options(options, head.model);
  add_train_options(options, head.train);
  options.assign("head", spec.parts[0]);
  std::set<std::string> given = {"head"};
  for (std::size_t i = 1; i < spec.parts.size(); ++i) {
    const std::size_t equals = spec.parts[i].find('=');
    if (equals == std::string::npos) {
      throw Error(
          fmt::format("'{}' is no OPTION=VALUE with an option of `cane-lm train`", spec.parts[i]));
    }
    const std::string name = spec.parts[i].substr(0, equals);
    options.assign(name, spec.parts[i].substr(equals + 1));
    if (!given.insert(name).second) {
      throw Error(fmt::format("it says {} twice; leave one out", name));
    }
  }
  check_options(head.model);
  check_options(head.train);
  head.options = options.values();
}

}  // namespace

std::string HeadSpec::file_name() const {
  std::string safe;
  for (const char character : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(character)) != 0;
    safe += plain || character == '.' || character == '-' ? character : '-';
  }
  return safe;
}

std::vector<HeadSpec> parse_heads(const std::string& list, const ModelOptions& model,
                                  const LmTrainOptions& train) {
  std::vector<HeadSpec> heads;
  std::map<std::string, std::string> files;
  cli::for_each_spec("--heads", list, [&](const cli::Spec& spec) {
    HeadSpec& head = heads.emplace_back(HeadSpec{spec.text, model, train, {}});
    read_parts(spec, head);
    const auto [other, is_new] = files.emplace(head.file_name(), head.name);
    if (!is_new && other->second != head.name) {
      throw Error(
          fmt::format("its model would have the same file as that of '{}'; write it "
                      "differently",
                      other->second));
    }
  });
  return heads;
}

}  // namespace cane::lm
