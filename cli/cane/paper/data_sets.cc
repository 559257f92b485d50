#include "cli/cane/paper/data_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "cane/dataset.h"
#include "cane/error.h"
#include "cane/export.h"

namespace cane::cli::paper {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibsvm =
    "the LIBSVM data sets page (multi-class), "
    "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/";
constexpr std::string_view kImageNet =
    "images from https://image-net.org; features of a VGG-16 net up to its layer FC15, as "
    "X_train.npy, y_train.npy, X_test.npy and y_test.npy";

constexpr double kTestShare = 0.1;

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, '|');) parts.push_back(part);
  return parts;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The name of a file without the endings of compression and format.
std::string stem_of(const fs::path& path) {
  const std::string name = lower(path.filename().string());
  std::string_view stem = name;
  for (const std::string_view ending :
       {".gz", ".xz", ".bz2", ".zst", ".svm", ".libsvm", ".ft", ".txt", ".npy"}) {
    if (stem.size() > ending.size() && stem.ends_with(ending)) stem.remove_suffix(ending.size());
  }
  return std::string(stem);
}

std::string file_named(const fs::path& folder, std::string_view names) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const std::string& name : parts_of(names)) {
    for (const fs::path& file : files) {
      if (stem_of(file) == name) return file.string();
    }
  }
  return {};
}

bool has_folder_name(const fs::path& folder, const SetRow& row) {
  const std::vector<std::string> names = parts_of(row.folders);
  return std::ranges::find(names, lower(folder.filename().string())) != names.end();
}

bool has_shape(const std::string& matrix, const SetRow& row) {
  if (row.features == 0 || !matrix.ends_with(".npy")) return false;
  try {
    const Dataset data = Dataset::load(matrix);
    return data.dimension() == row.features && data.classes() == row.classes;
  } catch (const Error&) {
    return false;  // a matrix of something else
  }
}

std::optional<FoundSet> find_in(const fs::path& folder, bool is_own_folder, const SetRow& row) {
  FoundSet set;
  set.row = &row;
  set.train = file_named(folder, row.train);
  set.test = file_named(folder, row.test);
  if (!is_own_folder && !has_shape(set.train, row)) {
    // In a folder of many sets only names that say which set it is count.
    set.train = file_named(folder, fmt::format("{0}.train|{0}_train", row.key));
    set.test = file_named(folder, fmt::format("{0}.test|{0}_test", row.key));
  }
  if (set.train.empty() || set.test.empty()) {
    set.train.clear();
    set.test.clear();
    set.single = file_named(folder, row.single);
    if (set.single.empty()) return std::nullopt;
  }
  if (row.task == Task::kLanguageModel) {
    set.valid = file_named(folder, "valid|ptb.valid|gutenberg.valid");
    if (set.valid.empty()) return std::nullopt;
    set.bytes = fs::file_size(set.train);
  }
  return set;
}

std::optional<FoundSet> find_set(const std::vector<fs::path>& folders, const SetRow& row) {
  for (const fs::path& folder : folders) {
    if (has_folder_name(folder, row)) {
      if (auto set = find_in(folder, true, row)) return set;
    }
  }
  for (const fs::path& folder : folders) {
    if (auto set = find_in(folder, false, row)) return set;
  }
  return std::nullopt;
}

std::vector<fs::path> folders_in(const std::string& folder) {
  if (!fs::is_directory(folder)) {
    throw Error(fmt::format(
        "{}: there is no such folder; give the one that holds the data, docs/paper.md says how",
        folder));
  }
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  folders.insert(folders.begin(), fs::path(folder));
  return folders;
}

}  // namespace

const std::vector<SetRow>& set_rows() {
  static const std::vector<SetRow> rows = {
      {.key = "sector",
       .title = "Sector",
       .paper_key = "sector",
       .folders = "sector",
       .train = "train|sector.train|sector.scale|sector",
       .test = "test|sector.test|sector.t.scale|sector.t",
       .single = "sector.all",
       .shortlist = 10,
       .epochs = 50,
       .where = kLibsvm},
      {.key = "clinc150",
       .title = "CLINC150",
       .paper_key = "sector",
       .folders = "clinc150|clinc",
       .train = "train",
       .test = "test",
       .single = "",
       .shortlist = 10,
       .epochs = 50,
       .where = "the repository clinc/oos-eval, as lines of `__label__INTENT request`"},
      {.key = "aloi",
       .title = "ALOI",
       .paper_key = "aloi",
       .folders = "aloi",
       .train = "train|aloi.train",
       .test = "test|aloi.test",
       .single = "aloi|aloi.scale",
       .shortlist = 10,
       .epochs = 50,
       .where = kLibsvm},
      {.key = "imagenet-2010",
       .title = "ImageNet-2010",
       .paper_key = "imagenet-2010",
       .folders = "imagenet-2010|imagenet2010|imgnet-2010",
       .train = "x_train",
       .test = "x_test",
       .single = "",
       .features = 4096,
       .classes = 1000,
       .shortlist = 20,
       .epochs = 50,
       .where = kImageNet},
      {.key = "imagenet-10k",
       .title = "ImageNet-10K",
       .paper_key = "imagenet-10k",
       .folders = "imagenet-10k|imagenet10k|imgnet-10k",
       .train = "x_train",
       .test = "x_test",
       .single = "",
       .features = 4096,
       .classes = 10184,
       .shortlist = 20,
       .epochs = 20,
       .where = kImageNet},
      {.key = "hangul",
       .title = "Hangul",
       .paper_key = "imagenet-10k",
       .folders = "hangul",
       .train = "x_train",
       .test = "x_test",
       .single = "",
       .features = 144,
       .classes = 11172,
       .shortlist = 20,
       .epochs = 20,
       .where = "12 x 12 grey means of the 11,172 Hangul syllables in the fonts of Debian"},
      {.key = "ptb",
       .title = "Penn Treebank",
       .paper_key = "ptb",
       .task = Task::kLanguageModel,
       .folders = "ptb|penn|penn-treebank",
       .train = "train|ptb.train",
       .test = "test|ptb.test",
       .single = "",
       .tokens = 929589,
       .words = 12000,
       .least_count = 5,
       .where = "Mikolov's preparation: ptb.train.txt, ptb.valid.txt, ptb.test.txt"},
      {.key = "gutenberg",
       .title = "Gutenberg",
       .paper_key = "gutenberg",
       .task = Task::kLanguageModel,
       .folders = "gutenberg",
       .train = "train|gutenberg.train",
       .test = "test|gutenberg.test",
       .single = "",
       .tokens = 24000000,
       .words = 116000,
       .where = "books of https://www.gutenberg.org, a paragraph a line, words with blanks between "
                "them, as train, valid and test"},
  };
  return rows;
}

const SetRow& set_row(std::string_view key) {
  const auto found = std::ranges::find(set_rows(), key, &SetRow::key);
  if (found == set_rows().end()) throw Error(fmt::format("there is no set '{}'", key));
  return *found;
}

std::string FoundSet::heading() const {
  if (!row->is_stand_in()) return std::string(row->title);
  return fmt::format("{} (stands in for {})", row->title, set_row(row->paper_key).title);
}

DataFolder find_sets(const std::string& folder) {
  const std::vector<fs::path> folders = folders_in(folder);
  DataFolder data;
  std::vector<std::string_view> represented;
  for (const SetRow& row : set_rows()) {
    const bool is_needed = std::ranges::find(represented, row.paper_key) == represented.end();
    if (!is_needed) continue;
    if (std::optional<FoundSet> set = find_set(folders, row)) {
      data.found.push_back(std::move(*set));
      represented.push_back(row.paper_key);
    }
  }
  for (const SetRow& row : set_rows()) {
    const bool is_represented = std::ranges::find(represented, row.key) != represented.end();
    if (!row.is_stand_in() && !is_represented) data.absent.push_back(&row);
  }
  if (data.found.empty()) {
    throw Error(fmt::format(
        "{}: none of the paper's sets is there; docs/paper.md says what is looked for", folder));
  }
  return data;
}

void measure(FoundSet& set, int threads) {
  if (set.row->task != Task::kClassification) return;
  DataOptions reading;
  reading.threads = threads;
  const Dataset train = Dataset::load(set.single.empty() ? set.train : set.single, reading);
  if (set.single.empty()) {
    set.examples = train.size();
    set.test_examples = Dataset::load(set.test, train, reading).size();
  } else {
    set.test_examples = static_cast<std::size_t>(kTestShare * static_cast<double>(train.size()));
    set.examples = train.size() - set.test_examples;
  }
  set.classes = train.classes();
  set.features = train.dimension();
  set.density = train.density();
}

void split_single(FoundSet& set, const std::string& folder) {
  if (set.single.empty()) return;
  set.train = (fs::path(folder) / fmt::format("{}.train.svm", set.row->key)).string();
  set.test = (fs::path(folder) / fmt::format("{}.test.svm", set.row->key)).string();
  if (!fs::exists(set.train) || !fs::exists(set.test)) {
    fs::create_directories(folder);
    constexpr std::uint64_t kSeed = 1;
    const auto [train, test] = split(Dataset::load(set.single), kTestShare, kSeed);
    export_examples(train, set.train, Format::kSvm);
    export_examples(test, set.test, Format::kSvm);
  }
  set.single.clear();
}

}  // namespace cane::cli::paper
