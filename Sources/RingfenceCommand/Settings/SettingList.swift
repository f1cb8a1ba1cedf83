// SPDX-License-Identifier: Apache-2.0

import API
import Accounts
import Jobs
import CallerPack
import Curation
import Foundation
import Intake
import ModerationSite
import Publishing
import Storage
import ServerSupport

/// All settings of the server and its commands. Documentation/configuration.md is this list as a table.
package struct SettingList: Sendable {
  package static let all = SettingList()

  // Their defaults apply to servers without settings, too.
  private static let (site, policy) = (SiteConfiguration(), PublicationPolicy())

  // The command and its files.
  let config = Setting(
    "config", .text("file"), absent: "no file",
    "Settings file: YAML with one setting per line, such as `port: 8443`. Unknown keys are refused.")
  package let data = Setting(
    "data", .text("folder"), default: ".ringfence",
    "Folder for keys, publications and, unless DATABASE_URL is set, a private PostgreSQL.")
  package let home = Setting(
    "home", .text("folder"), absent: "the nearest folder above the program, or /usr/share/ringfence", hasOption: false,
    "Folder with Migrations, Public and Resources.")

  // The database.
  package let databaseURL = Setting(
    secret: "database-url", .text, absent: "a private PostgreSQL in the data folder", variable: "DATABASE_URL",
    "Connection string (libpq) of the PostgreSQL to use.")
  let databasePooler = Setting(
    "database-pooler", .choice, default: DatabasePooler.none, hasOption: false,
    "Connection pooler: transaction for PgBouncer in transaction mode.")
  let pgBin = Setting(
    "pg-bin", .text("folder"), absent: "Debian's folders, then PATH", hasOption: false,
    "Folder with the programs of PostgreSQL, such as initdb and pg_dump.")
  let archive = Setting(
    "archive", .text("folder"), absent: "none",
    "Folder on another disk to which the private PostgreSQL copies its write-ahead log, for recovery to a point in time."
  )
  let archiveTimeout = Setting(
    "archive-timeout", .number(1...3_600, "seconds"), default: 60,
    "Seconds after which the archive gets a segment of the write-ahead log that is not full.")

  // Connections.
  let host = Setting("host", .text("host"), default: "127.0.0.1", "Name or address to listen on.")
  let port = Setting("port", .number(0...65_535, "port"), default: 8_080, "Port to listen on; 0: any free port.")
  let url = Setting("url", .serverAddress, absent: "http://HOST:PORT", "Address of the server for browsers and apps.")
  let trustProxy = Setting(
    "trust-proxy", .boolean, default: false,
    "Use X-Forwarded-For, because all connections come from a proxy that sets it.")
  let maxConnections = Setting(
    "max-connections", .number(16...65_536, "connections"), default: 2_048,
    "Maximum open connections. If all are in use, idle ones are closed for new ones.")
  let limits = Setting(
    "limits", .boolean, default: true, "Apply the rate limits of apps, networks and reporters.")
  let fetchNeedsKey = Setting(
    "fetch-needs-key", .boolean, default: false, "Require a key with the scope fetch to download publications.")
  let lists = Setting(
    "lists", .boolean, default: true, "Serve publications at /v1/lists in the formats of other programs.")
  let telephoneSystems = Setting(
    "telephone-systems", .boolean, default: true, "Answer lookups of telephone systems at /v1/pbx.")
  let phoneblock = Setting(
    "phoneblock", .boolean, default: true, "Serve PhoneBlock's API for its clients at /phoneblock/api.")
  let phoneblockRegion = Setting(
    "phoneblock-region", .region, absent: "national numbers are refused",
    "Region of numbers in national form at /phoneblock/api.")
  let addressBooks = Setting(
    "address-books", .boolean, default: true, "Serve address books by CardDAV at /carddav.")
  let addressBookNumbers = Setting(
    "address-book-numbers", .number(1...5_000, "numbers"), default: AddressBookOptions().limit,
    "Maximum numbers in an address book.")
  let addressBookRegion = Setting(
    "address-book-region", .region, absent: "all regions", "Region of the numbers in address books.")
  let addressBookDay = Setting(
    "address-book-day", .boolean, default: false,
    "Add a contact to each address book whose name is the day of its publication.")
  let appleReports = Setting(
    "apple-reports", .boolean, default: true,
    "Take reports of Apple's reporting extension at /v1/apple/reports, from installations with a token.")
  let attestationFiles = Setting(
    "attestation-files", .text("folder"), absent: "known roots, and no list of revoked keys", hasOption: false,
    "Folder with roots of phones that attest, and with Google's list of revoked keys.")
  let appleApps = Setting(
    "apple-apps", .text("file"), absent: "none", hasOption: false,
    "YAML file with the identifiers of apps for Apple's extensions, and with names of members.")
  let drain = Setting(
    "drain", .number(0...3_600, "seconds"), default: 0,
    "Seconds that /readyz fails before the server stops, so that a load balancer notices.")

  // Moderation.
  let demo = Setting(
    "demo", .boolean, default: false, "Load demo data and publish on the first start, and print example commands.")
  let secondFactor = Setting<SecondFactorPolicy?>(
    "second-factor", .choice, absent: "administrators; nobody with --demo",
    "Accounts that must set up a second factor.")
  let sessionHours = Setting(
    "session-hours", .hours(1...168), default: SessionStore.standardLifetime, hasOption: false,
    "Hours after which a session ends at the latest.")
  let oidcIssuer = Setting(
    "oidc-issuer", .issuer, absent: "no single sign-on", hasOption: false,
    "Identity provider (OpenID Connect) that people sign in with, exactly as it names itself.")
  let oidcClientID = Setting(
    "oidc-client-id", .text("id"), absent: "none", hasOption: false,
    "Client ID that the identity provider has given to this server.")
  let oidcClientSecret = Setting(
    secret: "oidc-client-secret", .text, absent: "a client without a secret",
    "Client secret that the identity provider has given to this server.")
  let oidcName = Setting(
    "oidc-name", .label, absent: "the host of oidc-issuer", hasOption: false,
    "Name of the identity provider on the button \"Sign in with NAME\".")
  let oidcScopes = Setting(
    "oidc-scopes", .scopes, default: SignOnConfiguration.standard.scopes, hasOption: false,
    "Scopes to request from the identity provider.")
  let oidcRoleClaim = Setting(
    "oidc-role-claim", .text("claim"), default: SignOnConfiguration.standard.roleClaim, hasOption: false,
    "Claim with the roles of a person: a text or a list of texts. Dots lead into objects.")
  let oidcAdministrators = Setting(
    "oidc-administrators", .values, absent: "none", hasOption: false,
    "Values of the claim that mean administrator.")
  let oidcModerators = Setting(
    "oidc-moderators", .values, absent: "none", hasOption: false, "Values of the claim that mean moderator.")
  let oidcTriage = Setting(
    "oidc-triage", .values, absent: "none", hasOption: false, "Values of the claim that mean triage.")
  let oidcAccounts = Setting(
    "oidc-accounts", .boolean, default: false, hasOption: false,
    "Add an account at the first sign-in of a person.")
  let publicNumberPages = Setting(
    "public-number-pages", .choice, default: Self.site.publicNumbers,
    "Public pages /number/NUMBER with the listing of a number; hidden: not for search engines.")
  let operatorName = Setting(
    "operator-name", .label, absent: "none", hasOption: false, "Name of the operator on the public pages.")
  let operatorContact = Setting(
    "operator-contact", .text("address"), absent: "none", hasOption: false,
    "How the public reaches the operator, such as an email address; on the public pages.")
  let imprint = Setting(
    "imprint", .webAddress, absent: "none", hasOption: false, "Address of the operator's imprint; on the public pages."
  )
  let publicTransparency = Setting(
    "public-transparency", .boolean, default: false, hasOption: false,
    "Public page /transparency with the transparency report.")
  let appealWork = Setting(
    "appeal-work", .number(0...32, "bits"), default: Self.site.appealDifficulty,
    "Bits of the proof of work of an appeal; each bit doubles the work.")
  let reviewPercent = Setting(
    "review-percent", .percent(0...100), default: ReviewPolicy.standard.share, hasOption: false,
    "Percent of all decisions that another moderator reviews.")
  let reviewReporters = Setting(
    "review-reporters", .number(0...1_000_000, "reporters"), default: ReviewPolicy.standard.maxReporters,
    hasOption: false,
    "Another moderator reviews each decision to block or identify a number with more reporters than this.")
  let caseTargetHours = Setting(
    "case-target-hours", .hours(1...8_760), default: Self.site.caseTarget, hasOption: false,
    "Hours after which a case should be decided. The page Team, `ringfence doctor` and an alert compare the oldest case "
      + "with it.")
  let appealDelay = Setting(
    "appeal-delay", .number(0...3_600, "seconds"), default: Self.site.appealDelay,
    "Seconds that the appeal form must be open if the browser cannot compute the proof of work.")

  // Retention.
  let commentDays = Setting(
    "comment-days", .number(1...36_500, "days"), absent: "kept", "Delete comments that are older than this many days.")
  let reportMonths = Setting(
    "report-months", .number(RetentionJob.Limits.minReportMonths...1_200, "months"), absent: "kept",
    "Delete reports that are older than this many months. The sums of numbers stay.")

  // Publications.
  let publishAt = Setting("publish-at", .timeOfDay, absent: "never", "Publish every day at this time of day.")
  let timeZone = Setting("time-zone", .timeZone, default: "UTC", "Time zone of publish-at.")
  let recipes = Setting(
    "recipes", .text("file"), absent: "recipes.yaml of the data folder, or the shipped one",
    "Recipes file, which defines the packs of a publication.")
  let deltaBases = Setting(
    "delta-bases", .number(0...100, "publications"), default: Self.policy.deltaBases,
    "Number of earlier publications with deltas to the newest one.")
  let validDays = Setting(
    "valid-days", .days(1...3_650), default: Self.policy.lifetime,
    "Days until a publication expires; clients reject expired publications.")
  let minSize = Setting(
    "min-size", .percent(0...100), default: Self.policy.limits.minSize,
    "Minimum size of a pack, in percent of the previous one.")
  let maxSize = Setting(
    "max-size", .percent(100...100_000), default: Self.policy.limits.maxSize,
    "Maximum size of a pack, in percent of the previous one.")
  let maxChurn = Setting(
    "max-churn", .percent(0...100_000), default: Self.policy.limits.maxChurn,
    "Maximum added and removed numbers, in percent of the previous pack.")
  let tolerance = Setting(
    "tolerance", .number(0...10_000_000, "entries"), default: Self.policy.limits.tolerance,
    "Number of entries up to which differences always pass the gates size and churn.")
  let afterPublish = Setting(
    "after-publish", .program, absent: "none",
    "Run this program after each publication, with RINGFENCE_PUBLICATIONS and RINGFENCE_SERIAL in its environment.")
  let afterPublishSeconds = Setting(
    "after-publish-seconds", .number(1...86_400, "seconds"), default: 600, hasOption: false,
    "Seconds after which the program of after-publish is ended.")

  // Events.
  let webhook = Setting(
    "webhook", .webAddresses, absent: "none", variable: "RINGFENCE_WEBHOOK_URL",
    "Send a signed POST about each event to this address. The option can be repeated.")
  let ownerCodes = Setting(
    "owner-codes", .webAddresses, absent: "an operator delivers codes", hasOption: false,
    "Gateway that delivers codes to owners of numbers: it gets a signed POST with number and code.")
  let ownerCodesPerDay = Setting(
    "owner-codes-per-day", .number(0...1_000_000, "codes"), default: 500, hasOption: false,
    "Maximum codes that the gateway gets in a UTC day, for all numbers together; 0: no limit.")
  let mail = Setting(
    "mail", .mailTransport, absent: "no mail", hasOption: false,
    "How mail is sent: smtp://HOST:587 (with STARTTLS), smtps://HOST:465, or the path of a sendmail program.")
  let mailUser = Setting(
    "mail-user", .mailUser, absent: "no sign-in", hasOption: false, "Name to sign in with at the mail server.")
  let mailPassword = Setting(
    secret: "mail-password", .text, absent: "none", "Password of mail-user.")
  let mailFrom = Setting(
    "mail-from", .mailAddress, absent: "none; needed with mail", hasOption: false, "Address that mail comes from.")

  // Logs.
  let logFormat = Setting(
    "log-format", .choice, default: LogFormat.text, "Format of the log; json: one object per line.")
  let logRequests = Setting(
    "log-requests", .boolean, default: false, "Log each request with its route, without its address.")

  let auditOut = Setting(
    "audit-out", .auditOutput, absent: "none", hasOption: false,
    "Where each event of the audit log is written as JSON: a file, or syslog by RFC 5424.")

  let erasureJournal = Setting(
    "erasure-journal", .text("file"), absent: "erasures.jsonl of the data folder", hasOption: false,
    "File with erasures and suppressions, without the erased data, for restored backups. Keep it with the backups.")

  // Keys.
  let pseudonymKey = Setting(
    secret: "pseudonym-key", .key, absent: "pseudonym.key of the data folder", "Key of reporters' pseudonyms.")
  let accountKey = Setting(
    secret: "account-key", .key, absent: "account.key of the data folder", "Key that encrypts second factors.")
  let signingKey = Setting(
    secret: "signing-key", .signingKey, absent: "signing.key of the data folder", "Key that signs publications.")
  let webhookSecret = Setting(
    secret: "webhook-secret", .webhookSecret, absent: "webhook.secret of the data folder",
    "Key that signs webhook messages.")
  let metricsToken = Setting(
    secret: "metrics-token", .text(of: 16...200), absent: "metrics.token of the data folder",
    "Bearer token for /metrics.")

  // Clients.
  let appKey = Setting(secret: "app-key", .text, absent: "none", "`ringfence fetch`: the API key of an app.")
  let appOrigin = Setting(
    "app-origin", .text, absent: "none", hasOption: false, "`ringfence fetch`: the server that app-key is for.")
  package let apiKey = Setting(
    secret: "api-key", .text, absent: "the key of the demo app", "`ringfence-benchmark`: the API key of an app.")

  /// The descriptions, in this order.
  static let descriptions = Mirror(reflecting: all).children.compactMap { ($0.value as? any AnySetting)?.description }

  /// The name of each setting by its property.
  static let names = Mirror(reflecting: all).children.reduce(into: [String: String]()) { names, child in
    names[child.label ?? ""] = (child.value as? any AnySetting)?.description.name
  }

  /// The environment variable of each key.
  static let variables = descriptions.reduce(into: [String: String]()) { $0.merge($1.variables) { $1 } }
}

/// A program between the server and PostgreSQL.
enum DatabasePooler: String, Sendable, CaseIterable {
  /// No pooler, or PgBouncer in session mode.
  case none
  /// PgBouncer in transaction mode: a prepared statement may be unknown to the next connection.
  case transaction
}
