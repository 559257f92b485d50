// Ctrl-C (SIGINT) and SIGTERM: the first one asks for a stop, the second one ends the program.
#pragma once

namespace cane::cli {

/// From here on, until the end of the program.
void catch_interrupts();
bool interrupt_requested();

}  // namespace cane::cli
