// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Foundation

/// The value of `--key`: a public key as printed, or the content of a file with a key or a root.
enum TrustedKey {
  case key(VerifyingKey)
  /// A complete file, which is not checked yet.
  case root(Data)

  /// - Throws: ``CommandFailure`` where it is neither a key nor a readable file.
  init(_ text: String) throws {
    if let key = VerifyingKey(text) {
      self = .key(key)
      return
    }
    guard let data = FileManager.default.contents(atPath: text) else {
      throw CommandFailure.unreadable(
        "--key is neither a public key (44 characters of Base64) nor a readable file. "
          + "Pass a key, or check the file's name and permissions.")
    }
    let content = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    self = VerifyingKey(content).map { .key($0) } ?? .root(data)
  }
}
