// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation
import PhoneNumbers
public import Storage

/// Reads a file of regions with one prefix in each line, `region⇥prefix⇥name`; only the region's first line needs the
/// name.
///
/// Lines that are blank or begin with `#` are skipped.
public enum RegionFile {
  public static let maximumBytes = 16 << 20

  /// The regions in the order of the file.
  /// - Throws: ``ImportFileError``, which names the line.
  public static func read(contentsOf path: String) throws -> [StoredRegion] {
    let lines = try LineReader(path: path, maximumLineBytes: 4_096)
    var regions: [StoredRegion] = []
    var places: [String: Int] = [:]
    var owners: [Int64: String] = [:]
    while let line = try lines.next() {
      func fail(_ reason: String) -> ImportFileError { .badTable(path: path, line: line.number, reason: reason) }
      guard lines.bytesRead <= maximumBytes else { throw fail("the file has more than 16 MB") }
      let text = line.text.trimmingCharacters(in: .whitespaces)
      if text.isEmpty || text.hasPrefix("#") { continue }
      let fields = line.text.split(separator: "\t", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard !line.isTooLong, (2...3).contains(fields.count) else {
        throw fail("expected a region, a tab, a prefix, and optionally a tab and a name")
      }
      let code = fields[0]
      guard code.utf8.count <= PackLimits.regionBytes,
        code.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*/) != nil, !code.contains("..")
      else {
        throw fail(
          "a region has 1 to \(PackLimits.regionBytes) of A-Z a-z 0-9 . _ -, the first a letter or digit, and no two dots in a row"
        )
      }
      // Names of packs are in lowercase.
      guard PhoneRegion(code) == nil else { throw fail("\(code) is a country already; choose another code") }
      guard let prefix = Int64(fields[1].hasPrefix("+") ? String(fields[1].dropFirst()) : fields[1]),
        PhoneNumber.digitsRange.contains(prefix)
      else { throw fail("a prefix has 1 to 15 digits and begins with the calling code") }
      if let owner = owners.updateValue(code, forKey: prefix) {
        throw fail("the prefix \(prefix) is \(owner)'s already")
      }
      let name = fields.count > 2 ? fields[2] : ""
      guard name.count <= 200 else { throw fail("a name has at most 200 characters") }
      if let place = places[code.lowercased()] {
        guard regions[place].code == code else { throw fail("\(code) and \(regions[place].code) differ only in case") }
        regions[place].prefixes.append(prefix)
      } else {
        places[code.lowercased()] = regions.count
        regions.append(StoredRegion(code: code, name: name.isEmpty ? code : name, prefixes: [prefix]))
      }
    }
    guard !regions.isEmpty else { throw ImportFileError.badTable(path: path, line: 1, reason: "it has no regions") }
    return regions
  }
}
