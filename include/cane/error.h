// The exceptions of the library: something the user gave is wrong (a file, an option, a value). The
// message says what is wrong and what to do, and names file and line where there is one.
//
// Options are named as the fields of the configuration, between backquotes and with the value where
// one is meant: "`select tree`", "`rebuild_tree`". A program that has its own spelling for them,
// like `--rebuild-tree`, puts that in when it shows the message.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace cane {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// An option has a value that it cannot have, or not with the others.
class OptionError : public Error {
 public:
  /// `field`: the member of the configuration, say "rebuild_tree"; `problem`: what is wrong with
  /// it; `remedy`: what to do, empty where the problem says it.
  OptionError(std::string field, std::string problem, std::string remedy = "")
      : Error("`" + field + "`: " + problem + (remedy.empty() ? "" : "; " + remedy)),
        field_(std::move(field)),
        problem_(std::move(problem)),
        remedy_(std::move(remedy)) {}

  const std::string& field() const { return field_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string field_;
  std::string problem_;
  std::string remedy_;
};

}  // namespace cane
