// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EmbeddedPostgreSQL
import Foundation
import HTTPServer
import Hummingbird
import Intake
import Logging
import Metrics
import ModerationSite
import NIOCore
import Publishing
import RingfenceServer
import Storage
import Telemetry

/// `ringfence serve`
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server: API, moderation pages and publications.")

  @OptionGroup var database: DatabaseOptions

  @Option(\.archive) var archive: String?
  @Option(\.archiveTimeout) var archiveTimeout: String?
  @Option(\.host) var host: String?
  @Option(\.port) var port: String?
  @Option(\.url) var url: String?
  @Flag(\.demo) var demo: Bool?
  @Option(\.drain) var drain: String?
  @Flag(\.trustProxy) var trustProxy: Bool?
  @Option(\.publicNumberPages) var publicNumberPages: String?
  @Option(\.appealWork) var appealWork: String?
  @Option(\.appealDelay) var appealDelay: String?
  @Flag(\.limits) var limits: Bool?
  @Flag(\.fetchNeedsKey) var fetchNeedsKey: Bool?
  @Flag(\.lists) var lists: Bool?
  @Flag(\.telephoneSystems) var telephoneSystems: Bool?
  @Flag(\.phoneblock) var phoneblock: Bool?
  @Option(\.phoneblockRegion) var phoneblockRegion: String?
  @Flag(\.addressBooks) var addressBooks: Bool?
  @Option(\.addressBookNumbers) var addressBookNumbers: String?
  @Option(\.addressBookRegion) var addressBookRegion: String?
  @Flag(\.appleReports) var appleReports: Bool?
  @Option(\.secondFactor) var secondFactor: String?
  @Option(\.commentDays) var commentDays: String?
  @Option(\.reportMonths) var reportMonths: String?
  @Option(\.publishAt) var publishAt: String?
  @Option(\.timeZone) var timeZone: String?

  @OptionGroup var publication: PublicationOptions

  @Option(\.logFormat) var logFormat: String?
  @Flag(\.logRequests) var logRequests: Bool?

  func run() async throws {
    let settings = try Settings(of: self)
    let checked = try ServerConfiguration(settings, Installation.find(settings))
    let (demo, url, publication) = (try settings.demo, try settings.url, try PublicationConfiguration(settings))
    let jobs = try JobConfiguration(settings)
    LogFormat.current = try settings.logFormat
    // Libraries log to the same output.
    LoggingSystem.bootstrap { ServerLogHandler(label: $0) }
    _ = ProcessStatistics.startTime
    let metrics = PrometheusMetricsFactory(logger: .server)
    // Libraries write their metrics to the same registry.
    MetricsSystem.bootstrap(metrics)
    // PostgreSQL and work outside event loops need cores too.
    NIOSingletons.groupLoopCountSuggestion = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    let archiving = try EmbeddedPostgres.Archiving(settings)
    try await CommandContext.open(
      settings, owns: true, makes: true, archiving: archiving, logger: .server
    ) { context in
      var completed = checked
      // Created with the data folder, after all settings have been checked.
      completed.metricsToken = try context.folder.key("metrics.token", \.metricsToken)
      let configuration = completed
      let welcome = demo ? try await DemoData(context: context).prepare() : nil
      let server = try await context.server(publication, jobs: jobs, metrics: metrics, logger: .server)
      do {
        try await server.run(configuration: configuration) { port in
          let address = Settings.address(url: url, host: configuration.host, port: port)
          print(welcome?.text(address: address) ?? "Listening on \(address)")
          fflush(nil)
        }
      } catch let error as IOError where [EADDRINUSE, EADDRNOTAVAIL, EACCES].contains(error.errnoCode) {
        throw cannotListen(configuration, String(cString: strerror(error.errnoCode)))
      } catch is SocketAddressError {
        throw cannotListen(configuration, "there is no such name or address")
      }
    }
  }

  private func cannotListen(_ configuration: ServerConfiguration, _ reason: String) -> CommandFailure {
    .failed(
      "Cannot listen on port \(configuration.port) of \(configuration.host): \(reason). Choose others with --port and "
        + "--host.")
  }
}
