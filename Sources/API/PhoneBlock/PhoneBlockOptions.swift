// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

/// The settings of the API of PhoneBlock's clients.
package struct PhoneBlockOptions: Sendable {
  /// Whether the server has it.
  let isOn: Bool
  /// The region of national numbers; nil refuses them.
  let region: PhoneRegion?

  /// - Parameter region: ISO 3166 alpha-2.
  package init(isOn: Bool, region: String?) {
    self.isOn = isOn
    self.region = region.flatMap(PhoneRegion.init)
  }
}
