#include "app/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "cane/error.h"

namespace cane::cli {
namespace CANE_THIS_FILE {

using ::testing::HasSubstr;

int greet(const Verb& verb, const Arguments& arguments) {
  if (arguments.size() == 1) throw Error("no such guest");
  if (arguments.size() == 2) throw std::bad_alloc();
  EXPECT_STREQ(verb.program, "party");
  return 7;
}

constexpr Verb kVerbs[] = {{"greet", "Say hello.", greet}};
constexpr Program kParty = {.name = "party",
                            .summary = "A small program.",
                            .example = "Example:\n  party greet",
                            .memory_remedy = "invite fewer",
                            .verbs = kVerbs,
                            .option_tables = nullptr};

TEST(Program, RunsAVerbUnderItsOwnName) {
  EXPECT_EQ(run_program(kParty, {"greet"}), 7);
}

TEST(Program, PrintsHelpAndVersion) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run_program(kParty, {"--help"}), kExitDone);
  EXPECT_EQ(run_program(kParty, {"--version"}), kExitDone);
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, HasSubstr("Usage: party VERB [OPTIONS]\n\n  greet      Say hello.\n"));
  EXPECT_THAT(text, HasSubstr("\nExample:\n  party greet\n"));
  EXPECT_THAT(text, HasSubstr("\nparty "));
}

TEST(Program, ReportsErrorsInOneLine) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_program(kParty, {}), kExitUserError);
  EXPECT_EQ(run_program(kParty, {"great"}), kExitUserError);
  EXPECT_EQ(run_program(kParty, {"greet", "nobody"}), kExitUserError);
  EXPECT_EQ(run_program(kParty, {"greet", "too", "many"}), kExitUserError);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "party: there is no verb; see `party --help`\n"
            "party: there is no verb 'great' (do you mean 'greet'?); see `party --help`\n"
            "party: no such guest\n"
            "party: there is not enough memory; invite fewer\n");
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::cli
