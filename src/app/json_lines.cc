#include "app/json_lines.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cane/error.h"

namespace cane::cli {

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json json_value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

JsonLines::JsonLines(const std::string& path, bool append) : path_(path) {
  if (path.empty()) return;
  file_.reset(std::fopen(path.c_str(), append ? "a" : "w"));
  if (!file_) {
    throw Error(
        fmt::format("--log: {}: cannot open: {}; choose another file", path, std::strerror(errno)));
  }
}

void JsonLines::write(const char* event, const Json& fields) {
  if (!file_) return;
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  Json line = Json::object();
  line["event"] = event;
  line["time"] = now.count();
  line.update(fields);
  fmt::print(file_.get(), "{}\n", json_text(line));
  if (std::fflush(file_.get()) != 0) {
    throw Error(fmt::format("--log: {}: cannot write: {}; make room, or leave --log out", path_,
                            std::strerror(errno)));
  }
}

}  // namespace cane::cli
