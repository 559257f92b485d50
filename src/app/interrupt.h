// Handles Ctrl-C (SIGINT), SIGTERM and a closed terminal (SIGHUP): the first one requests a stop,
// the second one ends the program. Also reports a lost file (SIGBUS), which no program survives,
// with a clear message.
#pragma once

namespace cane::cli {

/// Takes effect until the end of the program. The first signal writes `note`, a constant, to
/// stderr.
void catch_interrupts(const char* note = "stopping at the next batch to save");
bool interrupt_requested();
/// From now on the first one ends the program: for what may wait for ever, such as the reader of a
/// FIFO.
void end_on_interrupts();
/// Ignores both signals from now on: a launcher that ends all ranks also sends them to ranks that
/// are ending already.
void ignore_interrupts();

/// From this call on, a mapped file that is truncated during a run (SIGBUS) ends it with a message,
/// and a file that may not grow further (SIGXFSZ, ulimit -f) is an error like a full disk.
/// Messages begin with the name of the program, a constant. Call it before catch_interrupts.
void catch_file_signals(const char* program);

}  // namespace cane::cli
