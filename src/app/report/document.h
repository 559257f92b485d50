// The frame of a report's page, and its tables: self-contained HTML that turns dark where the
// reader prefers it and fits narrow screens.
#pragma once

#include <string>
#include <vector>

namespace cane::cli {

/// Everything up to the heading, both given as plain text.
std::string html_opening(const std::string& title, const std::string& heading);
/// The command that made the page, the program that ran it, how, and the end of the page.
std::string html_ending(const std::string& command, const std::string& conditions);

/// A picture that is scrolled where the screen is too narrow to read it; empty if it is.
std::string html_picture(const std::string& svg);
/// A table of texts. The first column names the rows.
std::string html_table(const std::vector<std::string>& headings,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace cane::cli
