#pragma once

#include <cstdint>
#include <string>

/// Whether libphonenumber holds a number for valid, by a table instead of by regular expressions.
///
/// The table is made of libphonenumber's own metadata (the copy that is linked) when a calling code is first asked about: all
/// expressions that decide are read side by side, so that a number costs a look-up a digit. Where the metadata cannot be
/// had, or has an expression that is not understood, there is no answer, and the library is to be asked.
enum class Validity { kUnknown, kValid, kInvalid };

/// - Parameters:
///   - code: the calling code.
///   - national: the digits behind it.
Validity validity(int code, const char *national, size_t length);

/// The lengths of the valid numbers of a calling code that begin with some digits: bit n for n digits behind the code.
/// - Returns: false where the table cannot be had.
bool validLengths(int code, const char *national, size_t length, uint32_t *lengths);
