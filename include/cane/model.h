// A trained model: the class tree, the weights, the labels and all training options. Immutable and
// cheap to copy; copies share the weights, which a loaded model maps from its file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cane/config.h"

namespace cane {

struct ModelData;

/// Where a model comes from. It has no influence on what the model computes; empty: unknown.
struct Origin {
  /// When its training ended: UTC, "2026-11-16T17:40:33Z". SOURCE_DATE_EPOCH in the environment is
  /// the time if it is set; otherwise a deterministic training has no date, so that its files are
  /// equal.
  std::string date;
  std::string data;      // name of the data's file, without its folder
  std::string checksum;  // XXH3 (64 bits) of the file's bytes, in hexadecimal digits
  std::string note;      // TrainConfig::note
};

class Model {
 public:
  /// Every size, checksum and tree link is verified; throws Error on a damaged file.
  static Model load(const std::string& path);
  /// Writes one safetensors file: to a temporary file in the same folder, which is then renamed.
  void save(const std::string& path) const;
  /// The same file as bytes in memory, and back.
  std::string to_bytes() const;
  static Model from_bytes(std::string_view bytes);

  std::size_t classes() const;
  std::size_t dimension() const;
  const std::vector<std::string>& labels() const;
  const TrainConfig& config() const;
  /// If false, scores only rank the classes.
  bool has_probabilities() const;
  /// Whether features are words of texts; else they are numbered.
  bool takes_text() const;
  /// Training examples of each class.
  const std::vector<std::uint64_t>& class_counts() const;
  std::uint32_t epochs_trained() const;
  /// Whether the weights are stored in 8 or 16 bits, for prediction only: see quantize().
  bool is_quantized() const;
  /// Total size of the weights.
  std::size_t weight_bytes() const;
  const Origin& origin() const;
  /// What a program keeps with the model under names of its own, which should begin with the name
  /// of the program and a dot; stored in the file, without influence on what the model computes.
  const std::map<std::string, std::string>& attributes() const;
  /// The same model with these attributes only.
  Model with_attributes(std::map<std::string, std::string> attributes) const;
  /// The output of `cane inspect`: one name and value per line.
  std::vector<std::pair<std::string, std::string>> description() const;
  /// The same as a JSON object, which docs/inspect-schema.json describes.
  std::string summary() const;

  /// For the library's own use.
  const ModelData& data() const { return *data_; }
  explicit Model(std::shared_ptr<const ModelData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const ModelData> data_;
};

}  // namespace cane
