// SPDX-License-Identifier: Apache-2.0

/// The columns of the imported fields in a delimited file.
struct RecordColumns: Sendable, Equatable {
  var count: Int
  var number: Int
  var date: Int
  var subject: Int?
  var recorded: Int?

  /// The layout of a tab-separated file without a header.
  static let bareTSV = RecordColumns(count: 3, number: 1, date: 0)

  /// Whether a first line names columns rather than holding a row.
  static func isHeader(_ fields: [String]) -> Bool { fields.contains { numberNames.contains(name($0)) } }

  private static let numberNames = ["company_phone_number", "company_phone_number_raw"]

  init(count: Int, number: Int, date: Int, subject: Int? = nil, recorded: Int? = nil) {
    self.count = count
    self.number = number
    self.date = date
    self.subject = subject
    self.recorded = recorded
  }

  /// Reads a header; the first column of a name counts.
  /// - Throws: ``ImportFileError/missingColumn(path:column:)``.
  init(header: [String], path: String) throws(ImportFileError) {
    let names = header.map(Self.name)
    guard let number = names.firstIndex(where: Self.numberNames.contains) else {
      throw .missingColumn(path: path, column: "Company_Phone_Number")
    }
    guard let date = names.firstIndex(of: "created_date") else {
      throw .missingColumn(path: path, column: "Created_Date")
    }
    self.init(
      count: header.count, number: number, date: date, subject: names.firstIndex(of: "subject"),
      recorded: names.firstIndex(of: "recorded_message_or_robocall"))
  }

  private static func name(_ text: String) -> String {
    text.lowercased().split(whereSeparator: { $0 == " " || $0 == "_" }).joined(separator: "_")
  }
}
