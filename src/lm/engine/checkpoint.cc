#include "lm/engine/checkpoint.h"

#include <ATen/Context.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>

#include "cane/error.h"
#include "cane/version.h"
#include "core/base/words.h"
#include "lm/engine/tensor_file.h"

namespace cane::lm {
namespace {

constexpr const char* kFormatEntry = "cane.format_version";
constexpr const char* kCheckpointFormat = "lm checkpoint 2";
// The form that 0.1 wrote; the other entries are the same.
constexpr const char* kFirstFormatEntry = "format";
constexpr const char* kFirstFormat = "cane-lm checkpoint 1";
constexpr std::string_view kModelEntries = "model.";
constexpr std::string_view kTrainEntries = "train.";
constexpr std::string_view kPlaceEntries = "place.";

/// Names and order are those in the file. `best` is the best score, 0 if there is none yet.
template <typename State, typename Best, typename Visit>
void visit_state(State& state, Best& best, const Visit& visit) {
  visit("epoch", state.loop.epoch);
  visit("batch", state.batch);
  visit("best_epoch", state.loop.best_epoch);
  visit("best", best);
  visit("rate", state.rate);
  visit("seconds", state.loop.seconds);
  visit("loss", state.loss);
  visit("tokens", state.tokens);
}

std::map<std::string, std::string> entries_under(const std::map<std::string, std::string>& all,
                                                 std::string_view prefix) {
  std::map<std::string, std::string> entries;
  for (const auto& [key, value] : all) {
    if (key.starts_with(prefix)) entries[key.substr(prefix.size())] = value;
  }
  return entries;
}

void add_under(std::string_view prefix, const std::map<std::string, std::string>& entries,
               std::map<std::string, std::string>& all) {
  for (const auto& [key, value] : entries) all[std::string(prefix) + key] = value;
}

/// The field of an entry; entry names have dashes where fields have underscores.
std::string field_named(std::string name) {
  std::ranges::replace(name, '-', '_');
  return fmt::format("`{}`", name);
}

void check_is_checkpoint(const SafetensorsFile& file) {
  const auto has = [&](const char* entry, std::string_view format) {
    const auto found = file.metadata().find(entry);
    return found != file.metadata().end() && found->second == format;
  };
  if (has(kFormatEntry, kCheckpointFormat) || has(kFirstFormatEntry, kFirstFormat)) return;
  throw Error(fmt::format(
      "{}: this is no checkpoint of `cane-lm train`, or one of another version; train without "
      "`resume`",
      file.path()));
}

/// The generator whose state a checkpoint keeps, so that a resumed run draws the same numbers.
at::Generator generator_of(torch::Device device) {
  return at::globalContext().defaultGenerator(device);
}

}  // namespace

std::string checksum_of(std::span<const WordId> text) {
  const auto sum = static_cast<std::uint64_t>(XXH3_64bits(text.data(), text.size_bytes()));
  return fmt::format("{:016x}", sum);
}

std::map<std::string, std::string> as_text(const LmTrainState& state) {
  std::map<std::string, std::string> values;
  const double best = state.loop.best_score.value_or(0.0);
  // The shortest text that reads back as the same number.
  visit_state(state, best, [&](const char* name, const auto& value) {
    values[name] = fmt::format("{}", value);
  });
  return values;
}

LmTrainState state_from(const std::map<std::string, std::string>& values) {
  LmTrainState state;
  double best = 0.0;
  visit_state(state, best, [&](const char* name, auto& value) {
    const auto found = values.find(name);
    if (found == values.end()) throw Error(fmt::format("'{}' is missing", name));
    value = parse_number<std::remove_reference_t<decltype(value)>>(name, found->second);
  });
  if (best > 0.0) state.loop.best_score = best;
  return state;
}

CheckpointOptions checkpoint_options(const std::string& path) {
  const SafetensorsFile file(path);
  check_is_checkpoint(file);
  const std::string writer = writer_of(file.metadata());
  return {model_options_from(entries_under(file.metadata(), kModelEntries), writer),
          train_options_from(entries_under(file.metadata(), kTrainEntries), writer)};
}

std::map<std::string, std::string> LmTrainer::identity() const {
  std::map<std::string, std::string> metadata = {
      {"device", model_.device().is_cuda() ? "cuda" : "cpu"},
      {"text", text_checksum_},
      {"vocabulary", fmt::format("{:016x}", model_.vocabulary().fingerprint())}};
  add_under(kModelEntries, as_text(model_.options()), metadata);
  add_under(kTrainEntries, as_text(options_), metadata);
  return metadata;
}

std::map<std::string, torch::Tensor> LmTrainer::checkpoint_tensors() const {
  std::map<std::string, torch::Tensor> tensors = model_.tensors();
  for (const auto& [name, tensor] : optimizer_.state()) tensors["optimizer." + name] = tensor;
  for (const auto& [name, tensor] : step_.tensors()) tensors["step." + name] = tensor;
  tensors["generator"] = generator_of(model_.device()).get_state();
  return tensors;
}

void LmTrainer::save_checkpoint(bool goes_on) {
  // After the last epoch there is nothing left to resume: the model has been saved.
  if (checkpoints_.path().empty() || state_.loop.epoch == options_.epochs) return;
  std::map<std::string, std::string> metadata = identity();
  metadata[kFormatEntry] = kCheckpointFormat;
  metadata["cane.writer"] = "cane-lm " + version();
  add_under(kPlaceEntries, as_text(state_), metadata);
  TensorsToWrite tensors;
  for (const auto& [name, tensor] : checkpoint_tensors()) tensors.add(name, tensor);
  checkpoints_.write(
      tensors.all(), metadata,
      goes_on ? CheckpointWriter::Mode::kInBackground : CheckpointWriter::Mode::kWait);
}

void LmTrainer::resume() {
  const SafetensorsFile file(checkpoints_.path());
  check_is_checkpoint(file);
  std::map<std::string, std::string> defaults;
  add_under(kModelEntries, as_text(ModelOptions()), defaults);
  add_under(kTrainEntries, as_text(LmTrainOptions()), defaults);
  for (const auto& [name, value] : identity()) {
    const auto found = file.metadata().find(name);
    if (found != file.metadata().end() && found->second == value) continue;
    // A checkpoint written before an option existed implies its default.
    const auto standard = defaults.find(name);
    if (found == file.metadata().end() && standard != defaults.end() && standard->second == value) {
      continue;
    }
    const std::string what =
        name == "text" || name == "vocabulary"
            ? "training data"
            : fmt::format("values of {}", field_named(name.substr(name.find('.') + 1)));
    throw Error(
        fmt::format("{}: it was made with other {}; give the same, or train without `resume`",
                    checkpoints_.path(), what));
  }
  try {
    state_ = state_from(entries_under(file.metadata(), kPlaceEntries));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}; train without `resume`", checkpoints_.path(), error.what()));
  }
  for (const auto& [name, tensor] : checkpoint_tensors()) copy_from(file, name, tensor);
  torch::Tensor random = generator_of(model_.device()).get_state();
  copy_from(file, "generator", random);
  generator_of(model_.device()).set_state(random);
  optimizer_.set_rate(state_.rate);
}

}  // namespace cane::lm
