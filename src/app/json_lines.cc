#include "app/json_lines.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "cane/error.h"

namespace cane::cli {

JsonLines::JsonLines(const std::string& path, bool append) : path_(path) {
  if (path.empty()) return;
  file_.reset(std::fopen(path.c_str(), append ? "a" : "w"));
  if (!file_) {
    throw Error(
        fmt::format("--log: {}: cannot open: {}; choose another file", path, std::strerror(errno)));
  }
}

void JsonLines::write(const char* event, const JsonObject& fields) {
  if (!file_) return;
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  JsonObject line;
  line.set("event", event);
  line.set("time", now.count());
  line.merge(fields);
  fmt::print(file_.get(), "{}\n", line.text());
  if (std::fflush(file_.get()) != 0) {
    throw Error(fmt::format("--log: {}: cannot write: {}; make room, or leave --log out", path_,
                            std::strerror(errno)));
  }
}

}  // namespace cane::cli
