// JSON as the programs print it, and a log file of JSON objects, one per line.
#pragma once

#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cane::cli {

/// Names keep their order. Begin with Json::object(), so that one without entries is {}.
using Json = nlohmann::ordered_json;

/// On one line, or with `indent` blanks for each level. Labels may be arbitrary bytes, JSON is
/// UTF-8: what is none is replaced.
std::string json_text(const Json& json, int indent = -1);
/// The number, true, false, null or object that the text spells, or else the text itself.
Json json_value_of(const std::string& text);

/// Each line is flushed as it is written.
class JsonLines {
 public:
  /// An empty path keeps no log. Throws Error if the file cannot be opened.
  JsonLines(const std::string& path, bool append);

  bool is_open() const { return file_ != nullptr; }
  /// Adds "event" and "time" (seconds since 1970) to `fields`.
  void write(const char* event, const Json& fields);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace cane::cli
