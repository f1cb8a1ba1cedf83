// SPDX-License-Identifier: Apache-2.0

import Accounts
import Crypto
import Foundation

/// A token that proves that a form was created for the session that sends it. It is derived from the session's secret,
/// so nothing is stored, and it becomes invalid with the session.
package enum FormToken {
  /// - Parameter session: the cookie's value.
  package static func make(session: String) -> String {
    let code = HMAC<SHA256>.authenticationCode(
      for: Data("ringfence form".utf8), using: SymmetricKey(data: Data(session.utf8)))
    return Hexadecimal.text(code)
  }

  /// Whether a form's token is the expected one; false if that is empty. Runs in constant time.
  package static func matches(_ sent: String, _ expected: String) -> Bool {
    !expected.isEmpty && ConstantTime.areEqual(sent.utf8, expected.utf8)
  }
}
