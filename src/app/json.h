// A JSON object under construction; names keep their order. Only this unit compiles the JSON
// library.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cane::cli {

class JsonObject {
 public:
  JsonObject();
  JsonObject(JsonObject&&) noexcept;
  ~JsonObject();
  /// The object that the text spells.
  static JsonObject parsed(const std::string& text);

  void set(const std::string& name, const std::string& value);
  void set(const std::string& name, const char* value) { set(name, std::string(value)); }
  void set(const std::string& name, const JsonObject& value);
  void set(const std::string& name, const std::vector<std::string>& values);
  void set(const std::string& name, const std::vector<std::uint32_t>& values);
  void set(const std::string& name, const std::vector<double>& values);
  void set(const std::string& name, const std::vector<JsonObject>& values);
  template <typename T>
  requires std::integral<T> || std::floating_point<T>
  void set(const std::string& name, T value) {
    if constexpr (std::same_as<T, bool>) {
      set_bool(name, value);
    } else if constexpr (std::signed_integral<T>) {
      set_signed(name, static_cast<std::int64_t>(value));
    } else if constexpr (std::integral<T>) {
      set_whole(name, static_cast<std::uint64_t>(value));
    } else {
      set_real(name, static_cast<double>(value));
    }
  }
  void set_null(const std::string& name);
  /// Sets the number, true, false or object that the text spells, or else the text itself.
  void set_parsed(const std::string& name, const std::string& text);
  /// Adds all entries of the other object.
  void merge(const JsonObject& other);

  /// The object on one line.
  std::string text() const;
  /// The object with one line per value, for human readers.
  std::string indented_text() const;

 private:
  void set_bool(const std::string& name, bool value);
  void set_whole(const std::string& name, std::uint64_t value);
  void set_signed(const std::string& name, std::int64_t value);
  void set_real(const std::string& name, double value);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cane::cli
