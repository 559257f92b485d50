// A log file of JSON objects, one per line, each flushed as it is written.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "app/json.h"

namespace cane::cli {

class JsonLines {
 public:
  /// An empty path keeps no log. Throws Error if the file cannot be opened.
  JsonLines(const std::string& path, bool append);

  bool is_open() const { return file_ != nullptr; }
  /// Adds "event" and "time" (seconds since 1970) to `fields`.
  void write(const char* event, const JsonObject& fields);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace cane::cli
