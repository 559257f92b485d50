#include "data/merge_reports.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parallel/packing.h"
#include "data/text/name_maps.h"

namespace cane {
namespace {

// Those of lower ranks first, each once, up to so many.
std::vector<std::string> first_texts(Communicator& ranks, const std::vector<std::string>& own,
                                     std::size_t most) {
  Bytes packed;
  for (const std::string& text : own) pack_text(text, packed);
  std::vector<std::string> texts;
  for (const Bytes& part : ranks.all_gather(std::move(packed))) {
    for_each_text(part, [&](std::string_view text) {
      if (texts.size() == most || std::find(texts.begin(), texts.end(), text) != texts.end())
        return;
      texts.emplace_back(text);
    });
  }
  return texts;
}

std::string first_text(Communicator& ranks, const std::string& own) {
  std::vector<std::string> texts;
  if (!own.empty()) texts.push_back(own);
  const std::vector<std::string> first = first_texts(ranks, texts, 1);
  return first.empty() ? std::string() : first.front();
}

}  // namespace

void merge_reports(Communicator& ranks, ReadReport& report) {
  std::array<std::uint64_t, 4> counts = {report.skipped_lines, report.unseen_labels,
                                         report.ignored_features, report.empty_examples};
  ranks.sum(std::span<std::uint64_t>(counts));
  report.skipped_lines = counts[0];
  report.unseen_labels = counts[1];
  report.ignored_features = counts[2];
  report.empty_examples = counts[3];
  report.first_skipped = first_text(ranks, report.first_skipped);
  report.cache_problem = first_text(ranks, report.cache_problem);
  report.unseen_label_names = first_texts(ranks, report.unseen_label_names, kUnseenNames);
}

}  // namespace cane
