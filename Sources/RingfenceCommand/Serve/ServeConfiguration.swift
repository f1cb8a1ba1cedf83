// SPDX-License-Identifier: Apache-2.0

import API
import Accounts
import Curation
import PostgreSQL
import Foundation
import HTTPServer
import Intake
import Jobs
import ModerationSite
import Publishing

/// The settings of the server, read and checked before it opens its data folder.
struct ServerConfiguration: Sendable {
  let installation: Installation
  var host: String
  var port: Int
  var maxConnections: Int
  var connections = ConnectionLimits()
  /// Whether every connection comes from a trusted proxy, whose entry in `X-Forwarded-For` is the client's address.
  var trustsProxy: Bool
  /// The bearer token for the metrics; nil refuses every request.
  var metricsToken: String?
  let logsRequests: Bool
  let schedule: PublicationSchedule?
  /// Of the schedule.
  let zone: String
  let retention: RetentionJob.Limits
  /// Where events of the audit log are written; nil for nowhere else.
  let auditOutput: AuditOutput?
  /// The time for which the listener stays open after readiness has failed.
  let drain: Duration
  /// The settings that API and pages share.
  var access: AccessConfiguration
  var api: APIConfiguration
  var site = SiteConfiguration()

  /// - Throws: ``CommandFailure`` for an invalid setting.
  init(_ settings: Settings, _ installation: Installation) throws {
    self.installation = installation
    (host, port, trustsProxy) = (try settings.host, try settings.port, try settings.trustProxy)
    maxConnections = try settings.maxConnections
    (metricsToken, logsRequests) = (try settings.metricsToken, try settings.logRequests)
    access = try AccessConfiguration(settings)
    api = try APIConfiguration(settings)
    try site.read(settings)
    let zone = try settings.timeZone
    self.zone = zone
    schedule = try settings.publishAt.flatMap { PublicationSchedule(time: $0, zone: zone) }
    retention = RetentionJob.Limits(comments: try settings.commentDays, reportMonths: try settings.reportMonths)
    drain = .seconds(try settings.drain)
    auditOutput = try settings.auditOut
  }
}

extension AccessConfiguration {
  fileprivate init(_ settings: Settings) throws {
    self.init()
    publicAddress = try settings.url?.replacing(/\/+$/, with: "")
    publicationsNeedKey = try settings.fetchNeedsKey
    if try !settings.lists { interfaces.remove(.lists) }
    if try !settings.telephoneSystems { interfaces.remove(.telephoneSystems) }
    if try !settings.phoneblock { interfaces.remove(.phoneBlock) }
    if try !settings.addressBooks { interfaces.remove(.addressBooks) }
    limits = try settings.limits ? .standard : .off
  }
}

extension APIConfiguration {
  fileprivate init(_ settings: Settings) throws {
    self.init()
    phoneBlockRegion = try settings.phoneblockRegion
    (addressBooks.limit, addressBooks.region) = (try settings.addressBookNumbers, try settings.addressBookRegion)
    addressBooks.hasDay = try settings.addressBookDay
    attestation = try settings.attestationFiles.map(AttestationFiles.read) ?? attestation
    appleReports = try settings.appleReports ? settings.appleApps.map(AppleReportFile.read) ?? appleReports : nil
  }
}

extension SiteConfiguration {
  fileprivate mutating func read(_ settings: Settings) throws {
    secondFactor = try settings.secondFactor ?? (settings.demo ? .nobody : .administrators)
    publicNumbers = try settings.publicNumberPages
    host = SiteHost(
      name: try settings.operatorName ?? "", contact: try settings.operatorContact ?? "",
      imprint: try settings.imprint ?? "", hasTransparency: try settings.publicTransparency)
    (appealDifficulty, appealDelay) = (try settings.appealWork, try settings.appealDelay)
    caseTarget = try settings.caseTargetHours
    sendsMail = try settings.mail != nil
    signOn = try SignOnConfiguration.read(settings)
  }
}

extension SignOnConfiguration {
  /// - Throws: ``CommandFailure`` for an invalid setting, and for one without its other half.
  static func read(_ settings: Settings) throws -> SignOnConfiguration? {
    let (issuer, client) = (try settings.oidcIssuer, try settings.oidcClientID)
    guard let issuer else {
      guard client == nil else {
        throw CommandFailure.failed(
          "oidc-client-id is \"\(client ?? "")\", and oidc-issuer is not set. Set it to the provider's address, or "
            + "unset oidc-client-id.")
      }
      return nil
    }
    guard let client else {
      throw CommandFailure.failed(
        "oidc-issuer is \"\(issuer)\", and oidc-client-id is not set. Set it to the ID that the provider has given to "
          + "this server.")
    }
    var configuration = SignOnConfiguration(
      issuer: issuer, client: client, secret: try settings.oidcClientSecret,
      name: try settings.oidcName ?? URL(string: issuer)?.host ?? issuer)
    (configuration.scopes, configuration.roleClaim) = (try settings.oidcScopes, try settings.oidcRoleClaim)
    let values: [Role: [String]?] = [
      .administrator: try settings.oidcAdministrators, .moderator: try settings.oidcModerators,
      .triage: try settings.oidcTriage,
    ]
    configuration.roleValues = values.compactMapValues(\.self)
    configuration.addsAccounts = try settings.oidcAccounts
    return configuration
  }
}

extension PublicationPolicy {
  /// - Throws: ``CommandFailure`` for an invalid setting.
  init(_ settings: Settings) throws {
    // Refused before a publication is made.
    _ = (try settings.recipes, try settings.afterPublish, try settings.afterPublishSeconds)
    self.init(
      deltaBases: try settings.deltaBases, lifetime: try settings.validDays,
      limits: GateLimits(
        minSize: try settings.minSize, maxSize: try settings.maxSize, maxChurn: try settings.maxChurn,
        tolerance: try settings.tolerance),
      webhooks: Webhooks(urls: try settings.webhook ?? []))
  }
}

extension Mailer {
  /// Nil where no setting says how mail is sent.
  /// - Throws: ``CommandFailure`` for settings that do not fit together.
  init?(_ settings: Settings, folder: String) throws {
    guard let transport = try settings.mail else { return nil }
    guard let sender = try settings.mailFrom else {
      throw CommandFailure.failed("mail needs mail-from, the address that mail comes from. Set both, or neither.")
    }
    let (user, password) = (try settings.mailUser, try settings.mailPassword)
    guard (user == nil) == (password == nil) else {
      throw CommandFailure.failed("mail-user and mail-password belong together. Set both, or neither.")
    }
    self.init(transport: transport, user: user, password: password, sender: sender, folder: folder)
  }
}

extension EmbeddedPostgres.Archiving {
  /// Whether and where the private PostgreSQL archives its write-ahead log.
  /// - Throws: ``CommandFailure`` if the settings have both an archive and DATABASE_URL.
  init(_ settings: Settings) throws {
    guard let folder = try settings.archive else {
      self = .off
      return
    }
    guard try settings.databaseURL == nil else {
      throw CommandFailure.failed(
        "--archive needs the private PostgreSQL, and DATABASE_URL names another server. Archive it with its own "
          + "tools, such as pgBackRest.")
    }
    let path = URL(filePath: folder).standardizedFileURL.resolvingSymlinksInPath().path
    self = .on(EmbeddedPostgres.Archive(folder: path, timeout: try settings.archiveTimeout))
  }
}

extension Settings {
  /// The address that browsers and apps use. An IPv6 address has brackets around it.
  static func address(url: String?, host: String, port: Int) -> String {
    let host = host.contains(":") ? "[\(host)]" : host
    return (url ?? "http://\(host):\(port)").replacing(/\/+$/, with: "")
  }
}
