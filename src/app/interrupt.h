// Handles Ctrl-C (SIGINT) and SIGTERM: the first one requests a stop, the second one ends the
// program. Also reports a lost file (SIGBUS), which no program survives, with a clear message.
#pragma once

namespace cane::cli {

/// Takes effect until the end of the program. The first signal writes `note`, a constant, to
/// stderr.
void catch_interrupts(const char* note = "stopping at the next batch to save");
bool interrupt_requested();
/// Ignores both signals from now on: a launcher that ends all ranks also sends them to ranks that
/// are ending already.
void ignore_interrupts();

/// From this call on, a mapped file that is truncated during a run (SIGBUS) ends it with a message.
/// Messages begin with the name of the program, a constant. Call it before catch_interrupts.
void catch_lost_files(const char* program);

}  // namespace cane::cli
