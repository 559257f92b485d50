#include "data/text/parsed_text.h"

#include <utility>

namespace cane {

Assembled ParsedText::assemble_some(std::size_t begin, std::size_t end, ThreadPool& pool) {
  std::vector<NumberedBlock> some(end - begin);
  pool.run(some.size(), [&](std::size_t i, int) { some[i] = blocks.take(begin + i); });
  Assembled assembled = assemble(std::move(some), plan(), pool);
  report.unseen_labels += assembled.unseen_labels;
  if (!is_training_data) report.ignored_features += assembled.dropped_features;
  return assembled;
}

}  // namespace cane
