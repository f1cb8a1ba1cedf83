// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Storage

extension ServerRequestContext {
  /// The name of the signed-in account; empty without a session.
  var account: String { moderator?.name ?? "" }
}
