// The plan of `cane paper`: every run as the commands that a reader could type, with what of the
// report it serves and what it is expected to cost. Everything is trained by `cane compare`,
// `cane tune`, `cane-lm compare` and Vowpal Wabbit; the plan only names it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/verb.h"
#include "cli/cane/paper/data_sets.h"

namespace cane::cli::paper {

enum class Tool { kCane, kCaneLm, kVowpalWabbit, kTheory };

/// In arguments: what the run in `Run::after` has picked, the folder of the run's results, and the
/// folder of the data that the plan itself makes.
inline constexpr const char* kPicked = "{picked}";
inline constexpr const char* kFolder = "{out}";
inline constexpr const char* kData = "{data}";

/// The text with the value in every such place.
std::string filled_in(std::string text, const std::string& place, const std::string& value);

struct Run {
  std::string id;                  // SET/KIND/LABEL/SEED, unique
  std::vector<std::string> parts;  // of the report: "figure2/aloi", "table3/aloi"
  Tool tool = Tool::kCane;
  std::vector<Arguments> commands;  // one after the other; none for the theorems
  std::string after;                // the tuning that comes first; empty: none
  std::vector<std::string> files;   // the data; its content is a part of the fingerprint
  /// Makes what the commands need, in the folder of made data; may be empty.
  std::function<void(const std::string& data_folder)> prepare;
  double seconds = 0.0;     // expected
  std::uint64_t bytes = 0;  // of memory, expected
};

/// How much is done: all of the paper's protocol, or less where a budget asks for it.
struct Effort {
  std::uint32_t seeds = 3;               // of the runs of Figure 2 that are short
  double share = 1.0;                    // of the paper's epochs, at least one
  double limit = 3600.0;                 // seconds; a longer training is timed and not finished
  std::uint32_t most_classes = 1000000;  // of the section on cost

  /// Whether there is time to tune: with a budget a search is left out that would take half as long
  /// as the longest training, and the rate is the automatic one.
  bool has_time_to_tune(double seconds) const { return share == 1.0 || seconds <= limit / 2.0; }
};

struct PlanOptions {
  int threads = 0;
  std::uint64_t seed = 1;
  bool on_gpu = false;  // the language models
  bool has_lm = true;   // the programs are there
  bool has_vw = true;
  std::vector<std::string> only;  // parts; empty: all
};

/// The methods of Figure 2 and of Table 2, by the names the paper gives them, as `cane compare`
/// takes them.
struct Series {
  std::string label;
  std::string spec;
};
std::vector<Series> figure_2_series(const SetRow& set);
/// The same with our defaults, and what `cane` picks by itself.
std::vector<Series> our_series(const SetRow& set);
std::vector<Series> tree_series();
/// The candidates of the three settings of CANE.
std::vector<std::uint32_t> candidate_counts(const SetRow& set);

/// The heads of Figure 3; `classes` is 40, 60 or 80, or 0 for those that have no such number.
struct Head {
  std::string label;
  std::string spec;
  std::uint32_t classes;
};
std::vector<Head> language_heads();
inline constexpr std::uint32_t kShortlists[] = {40, 60, 80};
/// The family whose rate was tuned: "NCE" of "NCE-40".
std::string family_of(const Head& head);
/// How much of a text is trained and measured.
struct LanguageEffort {
  std::uint32_t epochs = 1;
  std::uint64_t tokens = 0;           // of the training text; 0: all
  std::uint64_t measured_tokens = 0;  // the same of the others
};
LanguageEffort language_effort(const SetRow& set, const Effort& effort, bool on_gpu);

std::vector<std::uint32_t> cost_classes(const Effort& effort);
std::uint64_t cost_examples(std::uint32_t classes);
std::uint64_t cost_tests(std::uint32_t classes);
std::vector<std::string> cost_methods();

std::uint32_t epochs_of(const SetRow& set, const Effort& effort);
std::string run_id(std::string_view set, std::string_view kind, const std::string& label,
                   std::uint64_t seed);

/// All runs that the chosen parts need, tuning first.
std::vector<Run> make_plan(const std::vector<FoundSet>& sets, const Effort& effort,
                           const PlanOptions& options);

/// Whether the user's choice holds a part: "figure2" holds "figure2/aloi". All is held by none.
bool is_chosen(const std::vector<std::string>& only, const std::string& part);

/// The most effort whose runs are expected to end within the budget; the least there is if none
/// does.
Effort effort_for(double budget_seconds, const std::vector<FoundSet>& sets,
                  const PlanOptions& options);

}  // namespace cane::cli::paper
