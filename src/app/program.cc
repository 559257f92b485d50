#include "app/program.h"

#include <fmt/format.h>

#include <limits>
#include <new>

#include "app/interrupt.h"
#include "app/options_page.h"
#include "app/output.h"
#include "app/say.h"
#include "cane/error.h"
#include "cane/names.h"
#include "cane/version.h"
#include "core/base/bad_line.h"
#include "core/base/thread_pool.h"

namespace cane::cli {
namespace {

void print_help(const Program& program) {
  fmt::print("{}\n\nUsage: {} VERB [OPTIONS]\n\n", program.summary, program.name);
  for (const Verb& verb : program.verbs) fmt::print("  {:<10} {}\n", verb.name, verb.summary);
  fmt::print("\n`{} help VERB` lists the options of a verb.\n\n{}\n", program.name,
             program.example);
}

int run_verb(const Program& program, const Arguments& arguments) {
  if (arguments.empty()) {
    throw Error(fmt::format("there is no verb; see `{} --help`", program.name));
  }
  const std::string& name = arguments.front();
  if (arguments == Arguments{"help", kMarkdownFlag}) {
    print_options_page(program.name, program.option_tables(), program.verbs);
    return kExitDone;
  }
  if (name == "help" && arguments.size() > 1) return run_verb(program, {arguments[1], "--help"});
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(program);
    return kExitDone;
  }
  if (name == "--version") {
    fmt::print("{} {}\n", program.name, version());
    return kExitDone;
  }
  std::vector<std::string_view> names;
  for (Verb verb : program.verbs) {
    verb.program = program.name;
    if (name == verb.name) return verb.run(verb, {arguments.begin() + 1, arguments.end()});
    names.emplace_back(verb.name);
  }
  throw Error(fmt::format("there is no verb '{}'{}; see `{} --help`", name, suggestion(name, names),
                          program.name));
}

}  // namespace

int run_program(const Program& program, const Arguments& arguments) {
  hold_standard_streams();
  on_fewer_threads(
      [name = program.name, fewest = std::numeric_limits<int>::max()](int got, int asked) mutable {
        if (got >= fewest) return;
        fewest = got;
        say("{}: the system grants {} of {} threads; going on with these\n", name, got, asked);
      });
  catch_lost_files(program.name);
  if (program.add_flags != nullptr) program.add_flags(known_flags());
  try {
    const int code = run_verb(program, arguments);
    Output("").finish();
    return code;
  } catch (const ClosedPipe&) {
    return kExitClosedPipe;
  } catch (const std::bad_alloc&) {
    say("{}: there is not enough memory; {}\n", program.name, program.memory_remedy);
  } catch (const std::exception& error) {
    say("{}: {}\n", program.name,
        without_control_bytes(
            with_flags(program.error_text == nullptr ? error.what() : program.error_text(error))));
  }
  return kExitUserError;
}

}  // namespace cane::cli
