// Time to read svmlight text on all threads, and to read it again from the cache. Usage:
// parse_bench [SVMLIGHT-FILE]. The file is repeated until the text has 200 MB; without a file,
// synthetic lines are used.
#include <cstdlib>

#include "bench/support/side_by_side.h"
#include "core/base/random.h"
#include "core/base/thread_pool.h"
#include "data/reader/load_data.h"
#include "support/temporary_folder.h"

namespace cane {
namespace {

constexpr std::size_t kTextBytes = 200'000'000;

std::string made_up_lines() {
  const CounterRandom random(1, RandomPurpose::kSynthetic);
  std::string text;
  for (std::uint32_t e = 0; e < 20000; ++e) {
    text += fmt::format("{}", random.below(1000, e, 0));
    for (std::uint32_t i = 1; i <= 128; ++i) {
      if (random.below(4, e, i) != 0) continue;
      text += fmt::format(" {}:{}", i, random.below(10, e, 200 + i) + 1);
    }
    text += '\n';
  }
  return text;
}

bool equal(const LoadedData& a, const LoadedData& b) {
  if (a.vocabulary != b.vocabulary || a.view.size() != b.view.size()) return false;
  for (std::size_t e = 0; e < a.view.size(); ++e) {
    const RowView x = a.view.row(e, {});
    const RowView y = b.view.row(e, {});
    if (a.view.label(e) != b.view.label(e) || x.count != y.count ||
        !std::equal(x.indices, x.indices + x.count, y.indices) ||
        !std::equal(x.values, x.values + x.count, y.values)) {
      return false;
    }
  }
  return true;
}

int run(int argument_count, char** arguments) {
  const testing::TemporaryFolder folder;
  const std::string lines =
      argument_count > 1 ? testing::TemporaryFolder::read(arguments[1]) : made_up_lines();
  std::string text;
  while (text.size() < kTextBytes && !lines.empty()) text += lines;
  const std::string path = folder.write("train.svm", text);
  const double megabytes = static_cast<double>(text.size()) * 1e-6;

  DataOptions options;
  options.format = Format::kSvm;
  options.cache_directory = folder.path("cache");
  const LoadedData first = load_data(path, options);
  LoadedData cached = load_data(path, options);
  DataOptions single = options;
  single.use_cache = false;
  single.threads = 1;
  LoadedData parsed = load_data(path, single);
  if (!cached.report.from_cache || !equal(first, cached) || !equal(first, parsed)) {
    fmt::print("the results differ: nothing is timed\n");
    return EXIT_FAILURE;
  }
  DataOptions all = single;
  all.threads = 0;
  const auto reading = bench::side_by_side(
      5, megabytes, [&] { parsed = load_data(path, single); }, megabytes,
      [&] { parsed = load_data(path, all); });
  fmt::print(
      "reading {:.0f} MB of svmlight text, {} examples; all threads, one thread and the cache "
      "agree\n",
      megabytes, first.view.size());
  bench::print("one thread", "all threads", "MB", reading);
  const auto again = bench::side_by_side(
      5, 1.0, [&] { parsed = load_data(path, all); }, 1.0,
      [&] { cached = load_data(path, options); });
  fmt::print("{:<44} {:>12.3f} s\n{:<44} {:>12.3f} s\n", "all threads, from the text",
             again.reference_seconds, "from the cache", again.seconds);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace cane

int main(int argument_count, char** arguments) {
  return cane::run(argument_count, arguments);
}
