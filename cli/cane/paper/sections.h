// The sections of the report, each a function of what was asked for and what was measured.
#pragma once

#include "cli/cane/paper/lookup.h"
#include "cli/cane/paper/report.h"

namespace cane::cli::paper {

Section claims_section(const Setting& setting, const Lookup& lookup);
Section data_section(const Setting& setting);
Section figure_2_section(const FoundSet& set, const Lookup& lookup);
Section table_1_section(const Setting& setting, const Lookup& lookup);
Section table_2_section(const Setting& setting, const Lookup& lookup);
Section table_3_section(const Setting& setting, const Lookup& lookup);
Section figure_3_section(const Setting& setting, const FoundSet& set, const Lookup& lookup);
Section theorems_section();
Section cost_section(const Setting& setting, const Lookup& lookup);
Section protocol_section(const Setting& setting, const Lookup& lookup);
Section differences_section(const Setting& setting, const Lookup& lookup);

/// The sets of a task that were found.
std::vector<const FoundSet*> sets_of(const Setting& setting, Task task);

}  // namespace cane::cli::paper
