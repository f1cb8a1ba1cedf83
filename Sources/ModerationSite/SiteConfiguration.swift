// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import Publishing

/// Settings of the pages.
package struct SiteConfiguration: Sendable {
  /// Folder of page templates.
  package let templateFolder: String
  /// Whether browsers reach the server only by https, so that cookies are marked secure.
  package let isSecure: Bool
  /// Roles that must have a second factor.
  package let secondFactor: SecondFactorPolicy
  /// Visibility of the public number pages.
  package let publicNumbers: PublicNumberVisibility
  /// Difficulty of an appeal's proof of work in leading zero bits, 0 to 32.
  package let appealDifficulty: Int
  /// Minimum seconds between showing an appeal form and sending it without proof of work.
  package let appealDelay: Int
  /// The interfaces with copies of publications. With lists there is a page of them.
  package let interfaces: PublicationInterfaces
  /// Whether publications need a key.
  package let publicationsNeedKey: Bool
  /// Rate limits.
  package let limits: RequestLimits

  /// - Parameters: see the properties.
  package init(
    templateFolder: String, isSecure: Bool, secondFactor: SecondFactorPolicy,
    publicNumbers: PublicNumberVisibility, appealDifficulty: Int, appealDelay: Int,
    interfaces: PublicationInterfaces, publicationsNeedKey: Bool, limits: RequestLimits
  ) {
    self.templateFolder = templateFolder
    self.isSecure = isSecure
    self.secondFactor = secondFactor
    self.publicNumbers = publicNumbers
    self.appealDifficulty = appealDifficulty
    self.appealDelay = appealDelay
    self.interfaces = interfaces
    self.publicationsNeedKey = publicationsNeedKey
    self.limits = limits
  }
}
