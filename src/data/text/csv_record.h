// Records of comma- or tab-separated values (RFC 4180): a field that begins with a quote ends at
// the next quote that is not doubled, and may hold separators and line breaks; so a record is one
// line or several. A quote elsewhere in a field is an ordinary character.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cane {

/// Returns the length of the first record of `text`, its line end not counted; npos if the text
/// ends within a quoted field or before the line end.
std::size_t record_length(std::string_view text, char separator);

/// Takes the first record off a text that is not empty, with its line end, or all of the text if
/// there is none; returns it without the line end. Separator '\0': a record is a line.
std::string_view take_record(std::string_view& text, char separator);

/// Where the last whole record of `text` ends, behind its line end; 0 if there is none.
std::size_t whole_records(std::string_view text, char separator);

/// Splits a record into fields, without their quotes. Fields point into `record`, or into `storage`
/// if they hold doubled quotes. A carriage return at the end belongs to no field. Throws BadLine.
void split_record(std::string_view record, char separator, std::string& storage,
                  std::vector<std::string_view>& fields);
/// The fields of a record with their quotes taken off; nothing if they are not closed.
std::optional<std::vector<std::string>> fields_of(std::string_view record, char separator);

}  // namespace cane
