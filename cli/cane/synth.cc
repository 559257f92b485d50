#include "cane/synth.h"

#include <fmt/format.h>

#include "app/options.h"
#include "cane/fields.h"
#include "cli/cane/verbs.h"
#include "core/base/stopwatch.h"

namespace cane::cli {
namespace {

constexpr const char* kSynthClosing =
    "Classes are Gaussians whose centres form a hierarchy, so the accuracy of the best possible "
    "classifier\nis known; it is printed, and written to OUT/best.json.\n\n"
    "Example:\n"
    "  cane synth data --classes 1000 --examples 50000\n"
    "  cane train data/X_train.npy --model model.safetensors\n"
    "  cane test --model model.safetensors data/X_test.npy";

Value format_value(bool& as_text) {
  return {[&as_text](const std::string& typed) {
            const Format format = value_named<Format>("format", typed);
            if (format != Format::kNpy && format != Format::kSvm) {
              throw Error(fmt::format("--format: cannot write '{}'; it takes {}|{}", typed,
                                      name_of(Format::kNpy), name_of(Format::kSvm)));
            }
            as_text = format == Format::kSvm;
          },
          [&as_text] { return std::string(name_of(as_text ? Format::kSvm : Format::kNpy)); }};
}

}  // namespace

int run_synth(const Verb& verb, const Arguments& arguments) {
  std::string folder;
  SynthOptions synth;
  Options options(verb, kSynthClosing);
  options.positional("OUT", folder, "folder for the files; made if needed");
  options.add_groups(synth, {kPlainGroup});
  options.add("format", "npy|svm", format_value(synth.as_text), "what is written");
  options.writes([&] {
    return files_in_folder("OUT", folder, synth_file_names(synth), kSynthReportName,
                           "\"best_accuracy\"");
  });
  if (!options.parse(arguments)) return kExitDone;

  const Stopwatch watch;
  const SynthReport report = synthesize(folder, synth);
  fmt::print("{}: {} examples of {} classes\n", report.train_path, count_text(synth.examples),
             count_text(synth.classes));
  fmt::print("{}: {} examples\n", report.test_path, count_text(synth.test_examples));
  fmt::print("best possible accuracy {:.2f}% +- {:.2f}% (written to {})\n",
             100.0 * report.best_accuracy, 100.0 * report.standard_error, report.report_path);
  fmt::print("{}\n", seconds_text(watch.seconds()));
  return kExitDone;
}

}  // namespace cane::cli
