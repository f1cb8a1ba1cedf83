// SPDX-License-Identifier: Apache-2.0

import Curation
package import Foundation

/// Google's list of the certificates whose keys have leaked or are not trusted for another reason
/// (`https://android.googleapis.com/attestation/status`).
package struct RevocationList: Sendable, Equatable {
  private struct Document: Decodable {
    struct Entry: Decodable {
      let status: String
    }
    let entries: [String: Entry]
  }

  /// Serial numbers, as hex digits in lower case without leading zeros.
  private let serialNumbers: Set<String>

  package static let maxBytes = 16 << 20
  /// How old a list may be, in seconds: 30 days.
  package static let maxAge: TimeInterval = 30 * 86_400

  /// - Parameter data: the JSON file.
  /// - Returns: nil for a file that is not one. Revoked and suspended certificates are both on the list.
  package init?(_ data: Data) {
    guard data.count <= Self.maxBytes, let document = try? JSONDecoder().decode(Document.self, from: data) else {
      return nil
    }
    serialNumbers = Set(document.entries.keys.map { String($0.lowercased().drop { $0 == "0" }) })
  }

  package var count: Int { serialNumbers.count }

  /// - Parameter serialNumber: big-endian bytes.
  func contains(_ serialNumber: some Collection<UInt8>) -> Bool {
    serialNumbers.contains(String(Hexadecimal.text(serialNumber).drop { $0 == "0" }))
  }
}
