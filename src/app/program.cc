#include "app/program.h"

#include <fmt/format.h>

#include <algorithm>
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
#include "core/base/stopwatch.h"
#include "core/base/thread_pool.h"
#include "core/parallel/communicator.h"
#include "core/parallel/launch.h"
#include "core/parallel/straggler.h"

namespace cane::cli {
namespace {

void print_help(const Program& program) {
  fmt::print("{}\n\nUsage: {} VERB [OPTIONS]\n\n", program.summary, program.name);
  for (const Verb& verb : program.verbs) fmt::print("  {:<10} {}\n", verb.name, verb.summary);
  fmt::print("\n`{} help VERB` lists the options of a verb.\n\n{}\n", program.name,
             program.example);
}

[[noreturn]] void throw_no_verb(const Program& program, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Verb& verb : program.verbs) names.emplace_back(verb.name);
  throw Error(fmt::format("there is no verb '{}'{}; see `{} --help`", name, suggestion(name, names),
                          program.name));
}

// `help --markdown`, `help --completion SHELL`, `help --man [VERB]`: pages made of the options.
int print_page(const Program& program, const Arguments& arguments) {
  const std::string& kind = arguments[1];
  const std::string& of = arguments.size() > 2 ? arguments[2] : std::string();
  if (kind == kMarkdownFlag) {
    print_options_page(program.name, program.option_tables(), program.verbs);
  } else if (kind == "--completion") {
    fmt::print("{}", completion_script(of, program.name, pages_of(program.name, program.verbs)));
  } else if (kind == "--man") {
    const std::vector<VerbPage> pages = pages_of(program.name, program.verbs);
    const auto verb = std::ranges::find(pages, of, &VerbPage::verb);
    if (!of.empty() && verb == pages.end()) throw_no_verb(program, of);
    fmt::print("{}", of.empty() ? program_manual(program, pages) : verb_manual(program, *verb));
  } else {
    throw Error(
        fmt::format("help has no {}; give --completion SHELL, --man, --man VERB, or a verb", kind));
  }
  return kExitDone;
}

// Ranks are joined only by verbs that share their work.
void join(const Verb& verb, Ranks& ranks) {
  if (verb.shares_work) {
    ranks = Ranks::join();
    return;
  }
  const int started = launch_of_process().ranks;
  if (started == 1) return;
  throw Error(
      fmt::format("`{} {}` does not share its work among ranks, but {} were started; run it "
                  "by itself, without mpirun or srun",
                  verb.program, verb.name, started));
}

int run_verb(const Program& program, const Arguments& arguments, Ranks& ranks) {
  if (arguments.empty()) {
    throw Error(fmt::format("there is no verb; see `{} --help`", program.name));
  }
  const std::string& name = arguments.front();
  if (name == "help" && arguments.size() > 1 && arguments[1].starts_with("--")) {
    return print_page(program, arguments);
  }
  if (name == "help" && arguments.size() > 1) {
    return run_verb(program, {arguments[1], "--help"}, ranks);
  }
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(program);
    return kExitDone;
  }
  if (name == "--version") {
    fmt::print("{} {} ({})\n", program.name, version(), commit());
    return kExitDone;
  }
  for (Verb verb : program.verbs) {
    if (name != verb.name) continue;
    verb.program = program.name;
    join(verb, ranks);
    verb.ranks = &ranks;
    return verb.run(verb, {arguments.begin() + 1, arguments.end()});
  }
  throw_no_verb(program, name);
}

// Reports the error, ends the other ranks, and returns the exit code. The first rank prints the
// message, unless it does not receive it in time.
int fail(const Program& program, const Ranks& ranks, const std::string& text, int code) {
  Communicator& others = ranks.communicator();
  if (!text.empty()) say("{}: {}\n", program.name, text);
  if (others.is_alone()) return code;
  ignore_interrupts();
  const std::string named = fmt::format("{}: {}", others.name(), text);
  if (!others.notify_failure(named) && !ranks.is_first()) {
    unmute_output();
    say("{}: {}\n", program.name, named);
  }
  others.abort();
  return code;
}

void name_straggler(const Program& program, const Ranks& ranks, double seconds) {
  const auto found = find_straggler(ranks.communicator().seconds_waited(), seconds);
  if (!found) return;
  say("{}: {:.1f} of {:.1f} s were spent waiting for rank {}; look at what else its machine does\n",
      program.name, found->seconds, seconds, found->rank);
}

int fail_with(const Program& program, const Ranks& ranks, const PeerFailure& failure) {
  ignore_interrupts();
  say("{}: {}\n", program.name, failure.what());
  ranks.communicator().acknowledge(failure);
  ranks.communicator().abort();
  return kExitUserError;
}

}  // namespace

int run_program(const Program& program, const Arguments& arguments) {
  hold_standard_streams();
  set_thread_shortage_handler(
      [name = program.name, fewest = std::numeric_limits<int>::max()](int got, int asked) mutable {
        if (got >= fewest) return;
        fewest = got;
        say("{}: the system grants {} of {} threads; continuing with these\n", name, got, asked);
      });
  catch_file_signals(program.name);
  if (program.add_flags != nullptr) program.add_flags(known_flags());
  if (launch_of_process().rank > 0) mute_output();
  Ranks ranks;
  const Stopwatch stopwatch;
  try {
    const int code = run_verb(program, arguments, ranks);
    Output("").finish();
    if (std::ranges::find(arguments, "--quiet") == arguments.end()) {
      name_straggler(program, ranks, stopwatch.seconds());
    }
    ranks.communicator().close();
    return code;
  } catch (const ClosedPipe&) {
    return fail(program, ranks, "", kExitClosedPipe);
  } catch (const PeerFailure& failure) {
    return fail_with(program, ranks, failure);
  } catch (const std::bad_alloc&) {
    return fail(program, ranks,
                fmt::format("there is not enough memory; {}", program.memory_remedy),
                kExitUserError);
  } catch (const std::exception& error) {
    return fail(program, ranks,
                without_control_bytes(with_flags(
                    program.error_text == nullptr ? error.what() : program.error_text(error))),
                kExitUserError);
  }
}

}  // namespace cane::cli
