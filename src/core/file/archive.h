// A single description of a file format that both writes and reads it. A description is a function
// template that names every tensor and every metadata entry once; it runs over an ArchiveWriter,
// which collects the contents of the objects, or over an ArchiveReader, which fills them from a
// file. Both classes have the same members; code needed only for reading (validation, derived
// values) goes under `if constexpr (Archive::kReads)`.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cane/names.h"
#include "core/base/bad_line.h"
#include "core/file/safetensors.h"

namespace cane {

/// A number that does not fit its type.
struct BadNumber : std::runtime_error {
  explicit BadNumber(const std::string& what = "a number in it is out of range")
      : std::runtime_error(what) {}
};

template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;

/// A value of JSON that came from a file. The conversions of the JSON library take any number for
/// any other, so that 1e300 or -1 become some integer; this one throws BadNumber for a number that
/// the type does not hold, and nlohmann::json::exception for a value of another kind.
template <typename T>
T json_value(const nlohmann::json& json) {
  if constexpr (kIsVector<T>) {
    T values;
    for (const auto& element : json.get_ref<const nlohmann::json::array_t&>()) {
      values.push_back(json_value<typename T::value_type>(element));
    }
    return values;
  } else if constexpr (std::is_floating_point_v<T>) {
    const auto value = json.get<double>();
    if (!(std::abs(value) <= double{std::numeric_limits<T>::max()})) throw BadNumber();
    return static_cast<T>(value);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (json.is_number_unsigned()) {
      const auto value = json.get<std::uint64_t>();
      if (!std::in_range<T>(value)) throw BadNumber();
      return static_cast<T>(value);
    }
    if (json.is_number() && !json.is_number_integer()) throw BadNumber();
    const auto value = json.get<std::int64_t>();
    if (!std::in_range<T>(value)) throw BadNumber();
    return static_cast<T>(value);
  } else {
    return json.get<T>();
  }
}

/// Writes the values of a metadata entry that is a JSON object.
class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::json& json) : json_(json) {}

  template <typename T>
  void operator()(const char* name, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      json_[name] = name_of(value);
    } else {
      json_[name] = value;
    }
  }
  /// A value of an enum; `names` is indexed by it.
  template <typename Enum>
  void choice(const char* name, Enum value, std::span<const char* const> names) {
    json_[name] = names[static_cast<std::size_t>(value)];
  }
  template <typename T>
  void pair(const char* name, const T& first, const T& second) {
    json_[name] = {first, second};
  }
  /// For fields that files of earlier versions lack.
  bool has(const char* /*name*/) const { return true; }

 private:
  nlohmann::json& json_;
};

/// The same members for reading. Throws nlohmann::json::exception if the JSON has a different
/// shape, and BadNumber if a number does not fit its field.
class FieldReader {
 public:
  FieldReader(const SafetensorsFile& file, const nlohmann::json& json) : file_(file), json_(json) {}

  template <typename T>
  void operator()(const char* name, T& value) const {
    if constexpr (std::is_enum_v<T>) {
      const auto text = json_.at(name).get<std::string>();
      for (const auto& entry : named_values<T>()) {
        if (text != entry.name) continue;
        value = entry.value;
        return;
      }
      throw_unknown(name, text);
    } else {
      value = json_value<T>(json_.at(name));
    }
  }
  template <typename Enum>
  void choice(const char* name, Enum& value, std::span<const char* const> names) const {
    const auto text = json_.at(name).get<std::string>();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (text != names[i]) continue;
      value = static_cast<Enum>(i);
      return;
    }
    throw_unknown(name, text);
  }
  template <typename T>
  void pair(const char* name, T& first, T& second) const {
    first = json_value<T>(json_.at(name).at(0));
    second = json_value<T>(json_.at(name).at(1));
  }
  bool has(const char* name) const { return json_.contains(name); }

 private:
  /// For a value that only a later version knows, the Error names the writer of the file.
  [[noreturn]] void throw_unknown(const char* name, const std::string& value) const;

  const SafetensorsFile& file_;
  const nlohmann::json& json_;
};

class ArchiveWriter {
 public:
  static constexpr bool kReads = false;

  // Arguments must stay valid until write(), or be stored here by keep().

  /// Elements that a reader copies.
  template <typename T>
  void values(const std::string& name, const std::vector<T>& values) {
    tensors_.push_back(tensor_to_write<T>(name, values));
  }
  /// As above; a reader must find exactly as many elements as it has memory for.
  template <typename T>
  void fill(const std::string& name, std::span<T> values) {
    tensors_.push_back(tensor_to_write<std::remove_const_t<T>>(name, values));
  }
  /// Elements that a reader uses in place in the mapped file.
  template <typename T>
  void view(const std::string& name, std::span<const T> values) {
    tensors_.push_back(tensor_to_write<T>(name, values));
  }
  /// As above; a reader must find exactly `count`.
  template <typename T>
  void view(const std::string& name, const T* values, std::size_t count,
            std::size_t alignment = sizeof(T)) {
    tensors_.push_back(tensor_to_write<T>(name, {values, count}));
    tensors_.back().alignment = alignment;
  }
  /// Labels and words. Plain: all bytes concatenated (NAME.text), and the end of each string
  /// (NAME.ends). Compressed, for quantized models, where they would otherwise be a large part of
  /// the file: by zstd (NAME.packed, NAME.count).
  void strings(const std::string& name, const std::vector<std::string>& strings, bool compressed);
  void text(const std::string& key, const std::string& value) { metadata_[key] = value; }
  /// A metadata entry that is a JSON object; `describe` names its fields to a FieldWriter.
  template <typename Describe>
  void fields(const std::string& key, const Describe& describe) {
    nlohmann::json json = nlohmann::json::object();
    FieldWriter writer(json);
    describe(writer);
    // A user's text may be no UTF-8.
    metadata_[key] = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  /// Whether this file has an optional part: when writing, as the caller says.
  bool has_tensor(const std::string& /*name*/, bool is_written) const { return is_written; }
  bool has_entry(const std::string& /*key*/, bool is_written) const { return is_written; }

  template <typename T>
  T& keep(T value) {
    auto kept = std::make_shared<T>(std::move(value));
    kept_.push_back(kept);
    return *kept;
  }

  void write(const std::string& path) const { write_safetensors(path, tensors_, metadata_); }
  const std::vector<TensorToWrite>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  std::vector<TensorToWrite> tensors_;
  std::map<std::string, std::string> metadata_;
  std::vector<std::shared_ptr<const void>> kept_;
};

/// Every member throws Error naming the file unless it finds what the description requires.
class ArchiveReader {
 public:
  static constexpr bool kReads = true;

  /// The file must outlive this object; views need only storage().
  explicit ArchiveReader(const SafetensorsFile& file) : file_(file), kept_({file.mapping()}) {}

  const SafetensorsFile& file() const { return file_; }

  template <typename T>
  void values(const std::string& name, std::vector<T>& values) const {
    const auto found = file_.values<T>(name);
    values.assign(found.begin(), found.end());
  }
  template <typename T>
  void fill(const std::string& name, std::span<T> values) const {
    const auto found = file_.values<T>(name);
    check_count(name, found.size(), values.size());
    std::copy(found.begin(), found.end(), values.begin());
  }
  template <typename T>
  void view(const std::string& name, std::span<const T>& values) const {
    values = file_.values<T>(name);
  }
  template <typename T>
  void view(const std::string& name, const T*& values, std::size_t count,
            std::size_t /*alignment*/ = sizeof(T)) const {
    const auto found = file_.values<T>(name);
    check_count(name, found.size(), count);
    values = found.data();
  }
  void strings(const std::string& name, std::vector<std::string>& strings, bool compressed) const;
  void text(const std::string& key, std::string& value) const { value = file_.metadata(key); }
  template <typename Describe>
  void fields(const std::string& key, const Describe& describe) const {
    try {
      const auto json = nlohmann::json::parse(file_.metadata(key));
      const FieldReader reader(file_, json);
      describe(reader);
    } catch (const nlohmann::json::exception& error) {
      throw_damaged(file_, fmt::format("its {} cannot be read ({})", key, shown(error.what())));
    } catch (const BadNumber& error) {
      throw_damaged(file_, fmt::format("its {} cannot be read ({})", key, error.what()));
    }
  }

  bool has_tensor(const std::string& name, bool /*is_written*/) const { return file_.has(name); }
  bool has_entry(const std::string& key, bool /*is_written*/) const {
    return file_.metadata().contains(key);
  }

  /// Memory that views may point into, owned by storage().
  template <typename T>
  T& keep(T value) {
    auto kept = std::make_shared<T>(std::move(value));
    kept_.push_back(kept);
    return *kept;
  }
  /// Owns the mapping and everything that was kept.
  std::shared_ptr<const void> storage() const {
    return std::make_shared<const std::vector<std::shared_ptr<const void>>>(kept_);
  }

 private:
  void check_count(const std::string& name, std::size_t found, std::size_t expected) const;

  const SafetensorsFile& file_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace cane
