import CallerPack
import Foundation
import Intake
import ModerationSite
import Publishing
import Telemetry

/// Every setting of the server and of the commands beside it. Documentation/configuration.md is this list as a table.
package struct SettingList: Sendable {
  package static let all = SettingList()

  // The command and its files.
  let config = Setting(
    "config", .text, absent: "no file",
    "Settings file: YAML with one setting per line, such as `port: 8443`. Unknown keys are refused.")
  package let data = Setting(
    "data", .text, default: ".ringfence",
    "Folder for keys, publications and, unless DATABASE_URL is set, a private PostgreSQL.")
  package let home = Setting(
    "home", .text, absent: "the nearest folder above the program, or /usr/share/ringfence", hasOption: false,
    "Folder with Migrations, Public and Resources.")

  // The database.
  package let databaseURL = Setting(
    secret: "database-url", .text, absent: "a private PostgreSQL in the data folder", variable: "DATABASE_URL",
    "The PostgreSQL to use: a connection string of libpq.")
  let databasePooler = Setting(
    "database-pooler", .choice, default: DatabasePooler.none, hasOption: false,
    "Pooler in front of PostgreSQL: transaction is PgBouncer in transaction mode.")
  package let pgBin = Setting(
    "pg-bin", .text, absent: "Debian's folders, then PATH", hasOption: false,
    "Folder with the programs of PostgreSQL, such as initdb and pg_dump.")

  // Connections.
  let host = Setting("host", .text, default: "127.0.0.1", "Name or address to listen on.")
  let port = Setting("port", .number(0...65_535), default: 8_080, "Port to listen on; 0 takes any free one.")
  let url = Setting("url", .text, absent: "http://HOST:PORT", "Address at which browsers and apps reach the server.")
  let trustProxy = Setting(
    "trust-proxy", .boolean, default: false,
    "Every connection comes from a proxy that adds the client's address to X-Forwarded-For.")
  let limits = Setting(
    "limits", .boolean, default: true, "Limit the requests of each app, network and reporter.")
  let fetchNeedsKey = Setting(
    "fetch-needs-key", .boolean, default: false, "Give publications only to apps whose key has the scope fetch.")
  let drain = Setting(
    "drain", .number(0...3_600), default: 0,
    "Seconds to continue with /readyz red before a stop, so that a balancer notices.")

  // Moderation.
  let demo = Setting(
    "demo", .boolean, default: false, "On the first start load demo data and publish; print how to try things out.")
  let secondFactor = Setting<SecondFactorPolicy?>(
    "second-factor", .choice, absent: "administrators; nobody with --demo",
    "Accounts that must set up a second factor after the first sign-in.")
  let publicNumberPages = Setting(
    "public-number-pages", .choice, default: PublicNumberVisibility.off,
    "Show everybody the state of a number at /number/NUMBER. hidden asks search engines to leave the pages out.")
  let appealWork = Setting(
    "appeal-work", .number(0...32), default: 17,
    "Zero bits that a browser has to find before it sends an appeal; each doubles the work.")
  let appealDelay = Setting(
    "appeal-delay", .number(0...3_600), default: 15,
    "Seconds that the form of appeals has to be open where a browser cannot do that.")

  // Retention.
  let commentDays = Setting(
    "comment-days", .number(1...36_500), absent: "kept", "Delete comments that are older than this many days.")
  let reportMonths = Setting(
    "report-months", .number(RetentionJob.Limits.leastReportMonths...1_200), absent: "kept",
    "Drop reports of months that are older than this many months. Their sums stay.")

  // Publications.
  let publishAt = Setting("publish-at", .timeOfDay, absent: "never", "Publish every day at this time of day.")
  let timeZone = Setting("time-zone", .timeZone, default: "UTC", "Time zone of publish-at.")
  let recipes = Setting(
    "recipes", .text, absent: "recipes.yaml of the data folder, or the shipped one",
    "File of recipes: the packs of a publication.")
  let deltaBases = Setting(
    "delta-bases", .number(0...100), default: 14, "Earlier publications from which deltas are made.")
  let validDays = Setting(
    "valid-days", .number(1...3_650), default: 2, "Days until a publication expires; readers refuse it then.")
  let leastSize = Setting(
    "least-size", .number(0...100), default: 50, "The least size of a pack in percent of the one before.")
  let greatestSize = Setting(
    "greatest-size", .number(100...100_000), default: 200, "The greatest size of a pack in percent of the one before.")
  let greatestChurn = Setting(
    "greatest-churn", .number(0...100_000), default: 50,
    "The most numbers that may come and go at once, in percent of those before.")
  let slack = Setting(
    "slack", .number(0...10_000_000), default: 1_000, "Differences of so few entries are never too many.")
  let webhook = Setting(
    "webhook", .webAddresses, absent: "none", variable: "RINGFENCE_WEBHOOK_URL",
    "Send every publication to this address by a signed POST. The option may be repeated.")

  // Logs.
  let logFormat = Setting(
    "log-format", .choice, default: LogFormat.text, "Format of the log; json writes an object a line, for programs.")
  let logRequests = Setting(
    "log-requests", .boolean, default: false, "Log a line for each request: its route, never its address.")

  // Keys.
  let pseudonymKey = Setting(
    secret: "pseudonym-key", .key, absent: "pseudonym.key of the data folder", "Key of reporters' pseudonyms.")
  let accountKey = Setting(
    secret: "account-key", .key, absent: "account.key of the data folder", "Key that encrypts second factors.")
  let signingKey = Setting(
    secret: "signing-key", .signingKey, absent: "signing.key of the data folder", "Key that signs publications.")
  let webhookSecret = Setting(
    secret: "webhook-secret", .webhookSecret, absent: "webhook.secret of the data folder",
    "Secret that signs messages to webhooks.")
  let metricsToken = Setting(
    secret: "metrics-token", .text(of: 16...200), absent: "metrics.token of the data folder",
    "Bearer token of programs that read /metrics.")

  // Clients.
  let appKey = Setting(secret: "app-key", .text, absent: "none", "`ringfence fetch`: the API key of an app.")
  let appOrigin = Setting(
    "app-origin", .text, absent: "none", hasOption: false, "`ringfence fetch`: the server that app-key is for.")
  package let apiKey = Setting(
    secret: "api-key", .text, absent: "that of the demo app", "`ringfence-benchmark`: the API key of an app.")

  /// The descriptions, in this order.
  static let descriptions = Mirror(reflecting: all).children.compactMap { ($0.value as? any AnySetting)?.description }

  /// The environment variable of each key.
  static let variables = descriptions.reduce(into: [String: String]()) { $0.merge($1.variables) { $1 } }
}

/// A program between the server and PostgreSQL.
package enum DatabasePooler: String, Sendable, CaseIterable {
  /// There is none, or PgBouncer in session mode.
  case none
  /// PgBouncer in transaction mode: a prepared statement may be unknown to the next connection.
  case transaction
}
