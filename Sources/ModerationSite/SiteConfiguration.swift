package import HTTPServer

/// Settings of the pages.
package struct SiteConfiguration: Sendable {
  /// Folder of page templates.
  package let templateFolder: String
  /// Whether browsers reach the server only by https, so that cookies are marked secure.
  package let isSecure: Bool
  /// Roles that must have a second factor.
  package let secondFactor: SecondFactorPolicy
  /// Whether everybody may look up numbers in a browser.
  package let publicNumbers: PublicNumberVisibility
  /// Zero bits of an appeal's proof of work, 0 to 32.
  package let appealDifficulty: Int
  /// Seconds an appeal's form must be open where a browser cannot do the work.
  package let appealDelay: Int
  /// Limits of requests.
  package let limits: RequestLimits

  /// - Parameters: see the properties.
  package init(
    templateFolder: String, isSecure: Bool, secondFactor: SecondFactorPolicy,
    publicNumbers: PublicNumberVisibility, appealDifficulty: Int, appealDelay: Int, limits: RequestLimits
  ) {
    self.templateFolder = templateFolder
    self.isSecure = isSecure
    self.secondFactor = secondFactor
    self.publicNumbers = publicNumbers
    self.appealDifficulty = appealDifficulty
    self.appealDelay = appealDelay
    self.limits = limits
  }
}
