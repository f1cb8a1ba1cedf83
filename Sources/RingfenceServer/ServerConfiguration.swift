package import HTTPServer
package import ModerationSite

/// What an operator can set about the web side.
package struct ServerConfiguration: Sendable {
  /// Name or address to listen on. Loopback unless said otherwise.
  package var host: String
  /// 1 to 65,535, or 0 for any free one.
  package var port: Int
  /// Folder of style sheets and scripts.
  package var publicFolder: String
  /// Folder of page templates.
  package var templateFolder: String
  /// Folder of the pages' texts, one folder a language.
  package var textFolder: String
  /// Path of the description of the API, `openapi.yaml`.
  package var openAPIFile: String
  /// The most connections at once; more wait in the kernel's queue.
  package var maximumConnections: Int
  /// Whether browsers reach the server by https only, so that cookies say so.
  package var isSecure: Bool
  /// Who must have a second factor.
  package var secondFactor: SecondFactorPolicy
  /// How much apps, networks and reporters may send.
  package var limits: RequestLimits
  /// How long connections may take.
  package var connections: ConnectionLimits
  /// Whether every connection comes from a proxy of ours, whose entry in `X-Forwarded-For` names the client.
  package var trustsProxy: Bool
  /// Whether everybody may look numbers up in a browser.
  package var publicNumbers: PublicNumberVisibility
  /// Zero bits that a browser has to look for before it sends an appeal, 0 to 32: each doubles the work.
  package var appealDifficulty: Int
  /// Seconds that the form of appeals has to be open where the browser cannot do that.
  package var appealDelay: Int
  /// Whether publications are for apps whose key may fetch; for everybody otherwise.
  package var publicationsNeedKey: Bool
  /// The bearer token of readers of the metrics; nil lets nobody in.
  package var metricsToken: String?
  /// Whether each request has a line in the log.
  package var logsRequests: Bool

  /// - Parameters: see the properties.
  package init(
    host: String = "127.0.0.1", port: Int = 8080, publicFolder: String, templateFolder: String,
    textFolder: String, openAPIFile: String, maximumConnections: Int = 2_048, isSecure: Bool = false,
    secondFactor: SecondFactorPolicy = .administrators, limits: RequestLimits = .standard,
    connections: ConnectionLimits = ConnectionLimits(), trustsProxy: Bool = false,
    publicationsNeedKey: Bool = false, metricsToken: String? = nil, logsRequests: Bool = false,
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
    self.metricsToken = metricsToken
    self.logsRequests = logsRequests
  }
}

extension ServerConfiguration {
  /// The settings of the pages.
  package var site: SiteConfiguration {
    SiteConfiguration(
      templateFolder: templateFolder, isSecure: isSecure, secondFactor: secondFactor,
      publicNumbers: publicNumbers, appealDifficulty: appealDifficulty, appealDelay: appealDelay, limits: limits)
  }
}
