// SPDX-License-Identifier: Apache-2.0

/// Comparisons of secrets.
package enum ConstantTime {
  /// Whether two sequences of bytes are equal. The time depends on their lengths, but not on where they differ.
  package static func areEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
