// SPDX-License-Identifier: Apache-2.0

/// The columns of the imported fields in a directory.
struct DirectoryColumns: Sendable, Equatable {
  /// Number of columns; nil where rows may differ.
  var count: Int?
  var numbers: [Int]
  var name: Int
  var category: Int?
  var region: Int?

  private static let numberNames: Set<String> = [
    "phone", "phones", "phone_number", "phone_numbers", "phone_no", "telephone", "telephone_number", "telephone_no",
    "telephone_numbers", "tel", "tel_no", "number", "mobile", "fax_and_phone", "contact_number",
  ]
  private static let nameNames: Set<String> = [
    "name", "title", "business_name", "company", "company_name", "organisation", "organization", "organisation_name",
    "organization_name", "school_name", "facility_name", "display_name",
  ]
  private static let categoryNames: Set<String> = ["category", "kind", "type", "rubric"]
  private static let regionNames: Set<String> = ["country_code", "region_code"]

  /// Finds the requested columns, and the others by the header.
  /// - Throws: ``ImportFileError/missingColumn(path:column:)``.
  init(header: [String], names: DirectoryColumnNames, hasHeader: Bool, path: String) throws(ImportFileError) {
    let keys = hasHeader ? header.map(Self.key) : []
    func asked(_ name: String) throws(ImportFileError) -> Int {
      if let place = keys.firstIndex(of: Self.key(name)) { return place }
      if let place = Int(name), (1...header.count).contains(place) { return place - 1 }
      throw .missingColumn(path: path, column: name)
    }
    func found(_ known: Set<String>) -> Int? { keys.firstIndex(where: known.contains) }
    count = hasHeader ? header.count : nil
    numbers = []
    for name in names.numbers { numbers.append(try asked(name)) }
    if names.numbers.isEmpty {
      // telephone_no_2 is a further column like telephone_no.
      numbers = keys.indices.filter { Self.numberNames.contains(Self.withoutOrdinal(keys[$0])) }
    }
    guard !numbers.isEmpty else { throw .missingColumn(path: path, column: "phone") }
    if let name = names.name {
      self.name = try asked(name)
    } else {
      guard let place = found(Self.nameNames) else { throw .missingColumn(path: path, column: "name") }
      self.name = place
    }
    category = if let category = names.category { try asked(category) } else { found(Self.categoryNames) }
    region = if let region = names.region { try asked(region) } else { found(Self.regionNames) }
  }

  private static func key(_ text: String) -> String {
    text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber }).joined(separator: "_")
  }

  private static func withoutOrdinal(_ key: String) -> String {
    guard let bar = key.lastIndex(of: "_"), key[key.index(after: bar)...].allSatisfy(\.isNumber) else { return key }
    return String(key[..<bar])
  }
}
