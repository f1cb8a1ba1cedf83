// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import Intake
package import ModerationSite
package import Publishing

/// Settings of the HTTP server and the pages.
package struct ServerConfiguration: Sendable {
  /// Name or address to listen on; loopback by default.
  package var host: String
  /// 1 to 65,535, or 0 for any free one.
  package var port: Int
  /// Folder of style sheets and scripts.
  package var publicFolder: String
  /// Folder of page templates.
  package var templateFolder: String
  /// Folder of the message catalogs, with a folder for each language.
  package var textFolder: String
  /// Path of the description of the API, `openapi.yaml`.
  package var openAPIFile: String
  /// Maximum connections; more wait in the kernel's queue.
  package var maximumConnections: Int
  /// Whether browsers reach the server only by https, so that cookies are marked secure.
  package var isSecure: Bool
  /// The roles that must have a second factor.
  package var secondFactor: SecondFactorPolicy
  /// Rate limits of apps, networks and reporters.
  package var limits: RequestLimits
  /// Time limits of connections.
  package var connections: ConnectionLimits
  /// Whether every connection comes from a trusted proxy, whose entry in `X-Forwarded-For` is the client's address.
  package var trustsProxy: Bool
  /// Visibility of the public number pages.
  package var publicNumbers: PublicNumberVisibility
  /// Difficulty of an appeal's proof of work in leading zero bits, 0 to 32: each bit doubles the work.
  package var appealDifficulty: Int
  /// Minimum seconds between showing an appeal form and sending it without proof of work.
  package var appealDelay: Int
  /// Whether publications need a key with the scope `fetch`; otherwise they are public.
  package var publicationsNeedKey: Bool
  /// Whether `/v1/lists` has the publications in the formats of other programs.
  package var hasLists: Bool
  /// Whether `/v1/pbx` answers telephone systems.
  package var hasTelephoneSystems: Bool
  /// Whether `/phoneblock/api` has the API of PhoneBlock's clients.
  package var hasPhoneBlock: Bool
  /// The region of numbers in national form there, ISO 3166 alpha-2; nil refuses them.
  package var phoneBlockRegion: String?
  /// Whether `/carddav` has address books.
  package var hasAddressBooks: Bool
  /// The most numbers in an address book.
  package var addressBookNumbers: Int
  /// The region of their numbers, ISO 3166 alpha-2; nil for all regions.
  package var addressBookRegion: String?
  /// The apps with a reporting extension of Apple; nil without the addresses of such extensions.
  package var appleReports: AppleReportSettings?
  /// The bearer token for the metrics; nil refuses every request.
  package var metricsToken: String?
  /// Whether each request is logged.
  package var logsRequests: Bool

  package init(
    host: String = "127.0.0.1", port: Int = 8080, publicFolder: String, templateFolder: String,
    textFolder: String, openAPIFile: String, maximumConnections: Int = 2_048, isSecure: Bool = false,
    secondFactor: SecondFactorPolicy = .administrators, limits: RequestLimits = .standard,
    connections: ConnectionLimits = ConnectionLimits(), trustsProxy: Bool = false,
    publicationsNeedKey: Bool = false, hasLists: Bool = true, hasTelephoneSystems: Bool = true,
    hasPhoneBlock: Bool = true, phoneBlockRegion: String? = nil,
    hasAddressBooks: Bool = true, addressBookNumbers: Int = 1_000, addressBookRegion: String? = nil,
    appleReports: AppleReportSettings? = AppleReportSettings(), metricsToken: String? = nil, logsRequests: Bool = false,
    publicNumbers: PublicNumberVisibility = .off, appealDifficulty: Int = 17, appealDelay: Int = 15
  ) {
    self.host = host
    self.port = port
    self.publicFolder = publicFolder
    self.templateFolder = templateFolder
    self.textFolder = textFolder
    self.openAPIFile = openAPIFile
    self.maximumConnections = maximumConnections
    self.isSecure = isSecure
    self.secondFactor = secondFactor
    self.limits = limits
    self.connections = connections
    self.trustsProxy = trustsProxy
    self.publicNumbers = publicNumbers
    self.appealDifficulty = appealDifficulty
    self.appealDelay = appealDelay
    self.publicationsNeedKey = publicationsNeedKey
    self.hasLists = hasLists
    self.hasTelephoneSystems = hasTelephoneSystems
    self.hasPhoneBlock = hasPhoneBlock
    self.phoneBlockRegion = phoneBlockRegion
    self.hasAddressBooks = hasAddressBooks
    self.addressBookNumbers = addressBookNumbers
    self.addressBookRegion = addressBookRegion
    self.appleReports = appleReports
    self.metricsToken = metricsToken
    self.logsRequests = logsRequests
  }
}

extension ServerConfiguration {
  /// The settings of the pages.
  package var site: SiteConfiguration {
    SiteConfiguration(
      templateFolder: templateFolder, isSecure: isSecure, secondFactor: secondFactor,
      publicNumbers: publicNumbers, appealDifficulty: appealDifficulty, appealDelay: appealDelay,
      interfaces: interfaces, publicationsNeedKey: publicationsNeedKey, limits: limits)
  }

  /// The interfaces with copies of publications.
  package var interfaces: PublicationInterfaces {
    var interfaces: PublicationInterfaces = []
    if hasLists { interfaces.insert(.lists) }
    if hasTelephoneSystems { interfaces.insert(.telephoneSystems) }
    if hasPhoneBlock { interfaces.insert(.phoneBlock) }
    if hasAddressBooks { interfaces.insert(.addressBooks) }
    return interfaces
  }
}
