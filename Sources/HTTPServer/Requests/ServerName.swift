// SPDX-License-Identifier: Apache-2.0

/// The value of the field `Server`.
package enum ServerName {
  package static let text = "ringfence"
}
