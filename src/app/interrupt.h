// Ctrl-C (SIGINT) and SIGTERM: the first one asks for a stop, the second one ends the program. And
// a lost file (SIGBUS), which no program survives, said clearly.
#pragma once

namespace cane::cli {

/// From here on, until the end of the program. The first one writes `note`, a constant, to stderr.
void catch_interrupts(const char* note = "stopping at the next batch to save");
bool interrupt_requested();

/// From here on, a mapped file that is cut off under a run (SIGBUS) ends it with a message. These
/// messages begin with the name of the program, a constant. Call it before catch_interrupts.
void catch_lost_files(const char* program);

}  // namespace cane::cli
