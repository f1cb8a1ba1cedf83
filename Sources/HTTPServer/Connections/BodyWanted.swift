// SPDX-License-Identifier: Apache-2.0

/// An outbound event of a connection: the body of the current request is about to be read. A client that sent `Expect:
/// 100-continue` gets the response 100.
package struct BodyWanted: Sendable {
  package init() {}
}
