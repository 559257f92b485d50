// Ctrl-C (SIGINT) and SIGTERM: the first one asks for a stop, the second one ends the program.
#pragma once

namespace cane::cli {

/// From here on, until the end of the program. The first one writes `note`, a constant, to stderr.
void catch_interrupts(const char* note = "stopping at the next batch to save");
bool interrupt_requested();

}  // namespace cane::cli
