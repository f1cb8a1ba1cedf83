/// What an operator can set about the web side.
public struct WebConfiguration: Sendable {
  /// Name or address to listen on. Loopback unless said otherwise.
  public var host: String
  /// 1 to 65,535, or 0 for any free one.
  public var port: Int
  /// Folder of style sheets and scripts.
  public var publicFolder: String
  /// Folder of page templates.
  public var templateFolder: String
  /// Folder of the pages' texts, one folder a language.
  public var textFolder: String
  /// The most connections at once; more wait in the kernel's queue.
  public var maximumConnections: Int
  /// Whether browsers reach the server by https only, so that cookies say so.
  public var isSecure: Bool
  /// Who must have a second factor.
  public var secondFactor: SecondFactorPolicy
  /// How much apps, networks and reporters may send.
  public var limits: RequestLimits
  /// How long connections may take.
  public var connections: ConnectionLimits
  /// Whether every connection comes from a proxy of ours, whose entry in `X-Forwarded-For` names the client.
  public var trustsProxy: Bool
  /// Whether everybody may look numbers up in a browser.
  public var publicNumbers: PublicNumberVisibility
  /// Zero bits that a browser has to look for before it sends an appeal, 0 to 32: each doubles the work.
  public var appealDifficulty: Int
  /// Seconds that the form of appeals has to be open where the browser cannot do that.
  public var appealDelay: Int
  /// Whether publications are for apps whose key may fetch; for everybody otherwise.
  public var publicationsNeedKey: Bool
  /// What a reader of the metrics bears; nil lets in only who is on this machine.
  public var metricsToken: String?
  /// Whether each request has a line in the log.
  public var logsRequests: Bool

  /// - Parameters: see the properties.
  public init(
    host: String = "127.0.0.1", port: Int = 8080, publicFolder: String, templateFolder: String,
    textFolder: String, maximumConnections: Int = 2_048, isSecure: Bool = false,
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
