#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/interrupt.h"
#include "app/options.h"
#include "app/output.h"
#include "app/say.h"
#include "cane/error.h"
#include "cane/fields.h"
#include "cli/cane/paper/machine.h"
#include "cli/cane/paper/plan.h"
#include "cli/cane/paper/process.h"
#include "cli/cane/paper/report.h"
#include "cli/cane/paper/runner.h"
#include "cli/cane/verbs.h"
#include "core/base/memory.h"
#include "core/base/words.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;
using namespace cane::cli::paper;

constexpr const char* kClosing =
    "DATA has a folder for each set: sector, aloi, imagenet-2010, imagenet-10k, ptb, gutenberg; "
    "clinc150 and\nhangul stand in for sector and imagenet-10k. A set that is absent is left out, "
    "and the report says so.\nThe parts are figure2, table1, table2, table3, figure3, theorems, "
    "cost, protocol and differences,\nand of one set figure2/aloi. Runs that are complete are kept "
    "in DIR/runs "
    "and not repeated. Ctrl-C keeps what is\nfinished, exit code 130; --resume goes on.\n\n"
    "With a budget the runs have one seed, and all epochs, the texts and the numbers of classes "
    "shrink by\none factor until the whole is expected to fit; the report says by which.\n\n"
    "Examples:\n"
    "  cane paper data --out report --quick\n"
    "  cane paper data --out report --only table3,figure2/aloi --dry-run";

constexpr double kQuick = 600.0;

struct PaperCommand {
  std::string data;
  std::string out = "cane-paper";
  std::string only;
  double budget = 0.0;  // seconds; 0: all of it
  double limit = Effort().limit;
  bool is_quick = false;
  bool resumes = false;
  bool is_dry = false;
  bool quiet = false;
  std::string device = "auto";
  std::string lm = "cane-lm";
  std::string vw = "vw";
  TrainConfig config;  // threads and seed
};

double duration_of(const char* option, const std::string& typed) {
  if (const std::optional<double> seconds = parse_duration(typed)) return *seconds;
  throw Error(fmt::format("{}: '{}' does not fit; give a time such as 30m or 2h", option, typed));
}

void add_options(Options& options, PaperCommand& command) {
  options.positional("DATA", command.data, "folder with the data of the paper");
  options.add("out", "DIR", command.out, "folder of the report; made if missing");
  options.add("only", "PART,PART,...", command.only, "make these parts alone");
  options.add(
      "budget", "TIME",
      {[&command](const std::string& typed) { command.budget = duration_of("--budget", typed); },
       [] { return std::string("none"); }},
      "shorten the runs until all are expected to end within it: 30m, 2h");
  options.add(
      "limit", "TIME",
      {[&command](const std::string& typed) { command.limit = duration_of("--limit", typed); },
       [&command] { return fmt::format("{:.0f}m", command.limit / 60.0); }},
      "time trainings that would take longer, and estimate the rest");
  options.flag("quick", command.is_quick, "as --budget 10m");
  options.flag("resume", command.resumes, "go on with the call that was stopped, as it was given");
  options.flag("dry-run", command.is_dry, "list every run with its expected time and memory");
  options.group(kRunningGroup);
  options.add("device", "auto|cpu|cuda", command.device, "of the language models");
  options.add("lm", "PROGRAM", command.lm, "cane-lm, beside this program or in PATH");
  options.add("vw", "PROGRAM", command.vw, "Vowpal Wabbit, for Table 2");
  options.add_fields(command.config, {"threads"});
  options.add_fields(command.config, {"seed"});
  options.writes([&command] { return report_files(command.out); });
  options.flag("quiet", command.quiet, "no progress");
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

// A part that is misspelled must not mean nothing.
void check_parts(const std::vector<std::string>& only) {
  constexpr std::string_view kParts[] = {"figure2",  "table1", "table2",   "table3",     "figure3",
                                         "theorems", "cost",   "protocol", "differences"};
  for (const std::string& part : only) {
    const std::string name = part.substr(0, part.find('/'));
    const std::vector<std::string_view> names(std::begin(kParts), std::end(kParts));
    if (std::ranges::find(names, name) == names.end()) {
      throw Error(fmt::format("--only: there is no part '{}'{}; see `cane paper --help`", part,
                              suggestion(name, names)));
    }
  }
}

bool wants_gpu(const std::string& device) {
  if (device == "auto") return !gpu_text().empty();
  if (device == "cpu" || device == "cuda") return device == "cuda";
  throw Error(fmt::format("--device: there is no '{}'; it takes auto|cpu|cuda", device));
}

const fs::path kCallName = "call.txt";

// The arguments of a call, one a line, so that --resume repeats it.
void keep_call(const std::string& folder, const Arguments& arguments) {
  Output file((fs::path(folder) / kCallName).string());
  for (const std::string& argument : arguments) file.write(argument + '\n');
  file.finish();
}

Arguments kept_call(const std::string& folder) {
  std::ifstream file(fs::path(folder) / kCallName);
  Arguments arguments;
  for (std::string line; std::getline(file, line);) arguments.push_back(line);
  if (arguments.empty()) {
    throw Error(fmt::format("--resume: {} has no call that was stopped; leave it out", folder));
  }
  return arguments;
}

void print_plan(const std::vector<Run>& plan, const Outcomes& kept, const Setting& setting) {
  Output output("");
  double seconds = 0.0;
  std::uint64_t bytes = 0;
  output.write(fmt::format("{:>9}  {:>9}  run\n", "time", "memory"));
  for (const Run& run : plan) {
    const bool is_kept = kept.contains(run.id);
    output.write(fmt::format("{:>9}  {:>9}  {}\n", is_kept ? "kept" : seconds_text(run.seconds),
                             bytes_as_text(run.bytes), run.id));
    if (is_kept) continue;
    seconds += run.seconds;
    bytes = std::max(bytes, run.bytes);
  }
  output.write(fmt::format("\n{} runs, {} of them kept; about {} and at most about {} of memory\n",
                           plan.size(), kept.size(), seconds_text(seconds), bytes_as_text(bytes)));
  for (const std::string& sentence : effort_sentences(setting)) output.write(sentence + '\n');
  output.finish();
}

Setting make_setting(const PaperCommand& command, const Programs& programs) {
  Setting setting;
  setting.options = {.threads = command.config.threads,
                     .seed = command.config.seed,
                     .on_gpu = wants_gpu(command.device),
                     .has_lm = !programs.cane_lm.empty(),
                     .has_vw = !programs.vowpal_wabbit.empty(),
                     .only = list_of(command.only)};
  check_parts(setting.options.only);
  setting.data = find_sets(command.data);
  for (FoundSet& set : setting.data.found) {
    if (!command.is_dry) split_single(set, (fs::path(command.out) / "data").string());
    measure(set, command.config.threads);
  }
  setting.effort.limit = command.limit;
  setting.budget = command.is_quick ? kQuick : command.budget;
  if (setting.budget > 0.0) {
    setting.effort = effort_for(setting.budget, setting.data.found, setting.options);
  }
  return setting;
}

// Tables and pictures have plain names, so that a folder with other files in it is left alone.
void check_folder(const std::string& folder) {
  if (!fs::is_directory(folder) || fs::is_empty(folder)) return;
  if (fs::exists(fs::path(folder) / kCallName)) return;
  throw Error(fmt::format(
      "--out: {} is not empty, and no report of `cane paper`; choose another folder", folder));
}

int carry_out(const PaperCommand& command, const Arguments& arguments) {
  if (!command.is_dry) check_folder(command.out);
  const Programs programs = {.cane = "/proc/self/exe",
                             .cane_lm = find_program(command.lm),
                             .vowpal_wabbit = find_program(command.vw)};
  Setting setting = make_setting(command, programs);
  setting.command = command_line("cane paper", arguments);
  const std::vector<Run> plan = make_plan(setting.data.found, setting.effort, setting.options);
  Runner runner(command.out, programs, command.quiet);
  Outcomes outcomes = runner.kept(plan);
  if (command.is_dry) {
    print_plan(plan, outcomes, setting);
    return kExitDone;
  }
  const ReportFolder folder(command.out);
  keep_call(command.out, arguments);
  catch_interrupts("stopping; what is finished is kept");
  const bool is_complete =
      runner.run(plan, outcomes, [&](const Outcomes& all) { folder.write(setting, plan, all); });
  folder.write(setting, plan, outcomes);
  if (!command.quiet) {
    say("{}, see {}\n", is_complete ? "done" : "interrupted; --resume goes on",
        (fs::path(command.out) / "index.html").string());
  }
  if (!is_complete) return kExitInterrupted;
  const bool has_failed =
      std::ranges::any_of(outcomes, [](const auto& entry) { return !entry.second.error.empty(); });
  return has_failed ? kExitUserError : kExitDone;
}

}  // namespace

int run_paper(const Verb& verb, const Arguments& arguments) {
  PaperCommand command;
  Options options(verb, kClosing);
  add_options(options, command);
  if (!options.parse(arguments)) return kExitDone;
  if (!command.resumes) return carry_out(command, arguments);
  const Arguments before = kept_call(command.out);
  PaperCommand again;
  Options same(verb, kClosing);
  add_options(same, again);
  if (!same.parse(before)) return kExitDone;
  return carry_out(again, before);
}

}  // namespace cane::cli
