#include "cli/cane-lm/training_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cane/error.h"
#include "core/base/words.h"

namespace cane::lm {
namespace {

std::optional<std::string> sibling(const std::string& train) {
  const std::filesystem::path path(train);
  std::string name = path.filename().string();
  const std::size_t place = name.find("train");
  if (place == std::string::npos) return std::nullopt;
  name.replace(place, 5, "valid");
  const auto found = path.parent_path() / name;
  return std::filesystem::is_regular_file(found) ? std::optional(found.string()) : std::nullopt;
}

/// Cuts at the end of a line.
std::vector<WordId> take_last_part(std::vector<WordId>& text, WordId end_of_line) {
  constexpr std::size_t kPart = 20;
  const auto wanted = text.end() - static_cast<std::ptrdiff_t>(text.size() / kPart);
  const auto end = std::find(wanted, text.end(), end_of_line);
  if (end == text.end()) return {};
  std::vector<WordId> part(end + 1, text.end());
  text.erase(end + 1, text.end());
  return part;
}

}  // namespace

void reads_text(cli::Options& options, const std::string& train, const std::string& valid) {
  options.reads("TEXT", train);
  options.reads("--valid", valid);
  options.reads([&] {
    std::vector<cli::InputFile> files;
    if (valid == "auto") files.push_back({"--valid auto", sibling(train).value_or("")});
    return files;
  });
}

TrainingText read_training_text(const std::string& train, const std::string& valid,
                                const CorpusOptions& options) {
  Corpus corpus = read_corpus(train, options);
  TrainingText text = {std::make_shared<const WordVocabulary>(std::move(corpus.vocabulary)),
                       std::move(corpus.tokens),
                       {}};
  std::string valid_path = valid == "none" || valid == "auto" ? "" : valid;
  if (valid == "auto") valid_path = sibling(train).value_or("");
  if (!valid_path.empty()) {
    text.valid = read_tokens(valid_path, *text.vocabulary, options);
    options.note(
        fmt::format("validation on {}, {} words", valid_path, count_text(text.valid.size())));
  } else if (valid == "auto") {
    text.valid = take_last_part(text.train, text.vocabulary->end_of_line());
    options.note(
        fmt::format("validation on the last {} words of the text; --valid FILE takes "
                    "another",
                    count_text(text.valid.size())));
  }
  options.note(fmt::format("{} words of text, {} in the vocabulary", count_text(text.train.size()),
                           count_text(text.vocabulary->size())));
  return text;
}

}  // namespace cane::lm
