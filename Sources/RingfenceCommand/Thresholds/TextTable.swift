// SPDX-License-Identifier: Apache-2.0

/// Rows under a header.
struct TextTable {
  private let rows: [[String]]

  /// - Parameters:
  /// - columns: the header.
  /// - rows: each with as many cells as the header.
  init(_ columns: [String], _ rows: [[String]]) {
    self.rows = [columns] + rows
  }

  /// Tab-separated; tabs and line breaks in a cell become spaces.
  var tsv: String {
    rows.map { cells in
      cells.map { String($0.map { "\t\n\r".contains($0) ? " " : $0 }) }.joined(separator: "\t")
    }.joined(separator: "\n")
  }

  /// Aligned columns: text to the left, figures to the right.
  var aligned: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let isFigure = rows[0].indices.map { column in
      rows.dropFirst().allSatisfy { Double($0[column].replacing(",", with: "")) != nil }
    }
    return rows.map { cells in
      let padded = cells.indices.map { column in
        let gap = String(repeating: " ", count: widths[column] - cells[column].count)
        return isFigure[column] ? gap + cells[column] : cells[column] + gap
      }
      let line = padded.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
