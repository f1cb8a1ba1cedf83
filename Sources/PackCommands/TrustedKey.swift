// SPDX-License-Identifier: Apache-2.0

package import CallerPack
import Support

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The value of `--key`: a public key as printed, or the content of a file with a key or a root.
package enum TrustedKey {
  case key(VerifyingKey)
  /// A complete file, which is not checked yet.
  case root(Data)

  /// - Throws: ``PackFailure`` where it is neither a key nor a readable file.
  package init(_ text: String) throws {
    if let key = VerifyingKey(text) {
      self = .key(key)
      return
    }
    guard let bytes = try? InputFile(text).readAll(limit: Envelope.limit) else {
      throw PackFailure(
        "--key is neither a public key (44 characters of Base64) nor a readable file. "
          + "Pass a key, or check the file's name and permissions.", exitCode: 3)
    }
    let content = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    self = (content.count == 1 ? VerifyingKey(String(content[0])) : nil).map { .key($0) } ?? .root(Data(bytes))
  }
}
