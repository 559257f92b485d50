// The exceptions of the library. They report invalid user input: a file, an option or a value. The
// message says what is wrong and how to fix it, and names the file and line if there is one.
//
// Messages name options by their configuration field, in backquotes and with the value if one is
// meant: "`select tree`", "`swap_resistance`". A program with its own spelling, such as
// `--swap-resistance`, substitutes it when it shows the message.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace cane {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// A number of the data is NaN, infinite, or too large to be squared.
class NonFiniteError : public Error {
 public:
  using Error::Error;
};

/// A training was given up before there was a model: see TrainObserver::give_up_requested.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// The device that was asked for cannot be used here: there is no plug-in for it, no driver, no
/// such GPU, or too little memory on it.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// An option has an invalid value, or one that conflicts with other options.
class OptionError : public Error {
 public:
  /// `field`: the member of the configuration, for example "swap_resistance"; `problem`: what is
  /// wrong with it; `remedy`: what to do, or empty if the problem already says so.
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
