// Models, checkpoints and language models: safetensors files whose checksums the harness makes
// right, so that what is behind them is reached.
#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "cane/model.h"
#include "cane/predict.h"
#include "core/file/safetensors.h"
#include "fuzz/targets.h"
#include "lm/file/lm_metadata.h"
#include "lm/text/vocabulary_tensors.h"
#include "model/model_file.h"
#include "train/checkpoint/checkpoint.h"

namespace cane::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8;

std::string checksum(std::string_view bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

// The header with the checksums of all tensors that lie within the data, or the input unchanged if
// that has no header of JSON.
std::string repaired(Bytes input) {
  const std::string file(input.begin(), input.end());
  if (file.size() < kLengthBytes) return file;
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > file.size() - kLengthBytes) return file;
  Json header = Json::parse(file.substr(kLengthBytes, length), nullptr, false);
  if (!header.is_object() || !header.contains("__metadata__") ||
      !header["__metadata__"].is_object()) {
    return file;
  }
  const std::string data = file.substr(kLengthBytes + length);
  Json metadata = {{"checksum.header", "0000000000000000"}};
  for (const auto& [name, value] : header["__metadata__"].items()) {
    if (!name.starts_with("checksum.")) metadata[name] = value;
  }
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__" || !value.is_object() || !value.contains("data_offsets")) continue;
    const Json& offsets = value["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned()) {
      continue;
    }
    const auto begin = offsets[0].get<std::uint64_t>();
    const auto end = offsets[1].get<std::uint64_t>();
    if (begin > end || end > data.size()) continue;
    metadata["checksum.tensor." + name] =
        checksum(std::string_view(data).substr(begin, end - begin));
  }
  Json ordered = {{"__metadata__", std::move(metadata)}};
  for (const auto& [name, value] : header.items()) {
    if (name != "__metadata__") ordered[name] = value;
  }
  std::string text = ordered.dump(-1, ' ', false, Json::error_handler_t::replace);
  while ((text.size() + kLengthBytes) % 64 != 0) text += ' ';
  std::string whole(kLengthBytes, '\0');
  const std::uint64_t new_length = text.size();
  std::memcpy(whole.data(), &new_length, kLengthBytes);
  whole += text;
  const std::size_t place = whole.find("0000000000000000");
  whole.replace(place, 16, checksum(whole));
  return whole + data;
}

std::string repaired_path(Bytes input) {
  const std::string file = repaired(input);
  return path_of({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
}

void read_model_file(Bytes input) {
  const Model model = Model::load(repaired_path(input));
  model.description();
  if (model.dimension() > (1U << 16) || model.classes() > (1U << 16)) return;
  PredictOptions options;
  options.threads = 1;
  const Predictor predictor(model, options);
  const Feature features[] = {{0, 1.0F}, {1, -2.0F}};
  for (const Prediction& one : predictor.predict(features)) predictor.label(one.class_id);
  predictor.predict("x y __label__a");
}

void read_checkpoint_file(Bytes input) {
  const std::string path = repaired_path(input);
  continues_training(path);
  // The fingerprints of the data are whatever the file says.
  DataPrint print;
  const SafetensorsFile file(path);
  if (file.metadata().contains("cane.checkpoint")) {
    const auto json = Json::parse(file.metadata("cane.checkpoint"), nullptr, false);
    for (auto [key, number] :
         {std::pair("data", &print.names), std::pair("values", &print.values)}) {
      if (json.is_object() && json.contains(key) && json[key].is_number_unsigned()) {
        *number = json[key].get<std::uint64_t>();
      }
    }
  }
  read_checkpoint(path, print);
}

void read_language_model(Bytes input) {
  const SafetensorsFile file(repaired_path(input));
  lm_metadata_of(file);
  if (lm::has_vocabulary(file)) lm::load_vocabulary(file);
}

// Without any repair: the container itself.
void read_container(Bytes input) {
  const SafetensorsFile file(path_of(input));
}

constexpr Target kArchiveTargets[] = {{"model", read_model_file},
                                      {"checkpoint", read_checkpoint_file},
                                      {"lm", read_language_model},
                                      {"container", read_container}};

}  // namespace

std::span<const Target> archive_targets() {
  return kArchiveTargets;
}

}  // namespace cane::fuzz
