// SPDX-License-Identifier: Apache-2.0

import Foundation
import RingfenceCommand

/// Finds the API key that a benchmark sends. The key is a secret, so no option takes it.
enum BenchmarkKey {
  /// Reads `file`; without one RINGFENCE_API_KEY, or the key of the demo app in the data folder.
  /// - Throws: ``CommandFailure``.
  static func find(file: String?, settings: Settings) throws -> String {
    if file == nil, let key = try settings.apiKey { return key }
    let path = try file ?? "\(settings.data)/sample-app.key"
    guard let text = FileManager.default.contents(atPath: path) else {
      let reason = FileManager.default.fileExists(atPath: path) ? "permission denied" : "no such file"
      throw CommandFailure.unreadable(
        """
        Cannot read key file "\(path)": \(reason). Pass --key-file or set RINGFENCE_API_KEY. Create a key with: \
        ringfence app create NAME
        """)
    }
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
