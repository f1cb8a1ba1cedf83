// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Intake
import ModerationSite
import Publishing
import RingfenceServer

extension Settings {
  /// The settings of the HTTP server.
  func server(_ installation: Installation) throws -> ServerConfiguration {
    ServerConfiguration(
      host: try self.host, port: try self.port, publicFolder: installation.publicFiles,
      templateFolder: installation.templates, textFolder: installation.texts, openAPIFile: installation.openAPI,
      isSecure: try self.url?.hasPrefix("https:") ?? false,
      secondFactor: try self.secondFactor ?? (self.demo ? .nobody : .administrators),
      limits: try self.limits ? .standard : .off, trustsProxy: try self.trustProxy,
      publicationsNeedKey: try self.fetchNeedsKey, hasLists: try self.lists,
      hasTelephoneSystems: try self.telephoneSystems, hasPhoneBlock: try self.phoneblock,
      phoneBlockRegion: try self.phoneblockRegion, hasAddressBooks: try self.addressBooks,
      addressBookNumbers: try self.addressBookNumbers, addressBookRegion: try self.addressBookRegion,
      appleReports: try self.appleReportSettings,
      metricsToken: try self.metricsToken, logsRequests: try self.logRequests,
      publicNumbers: try self.publicNumberPages,
      appealDifficulty: try self.appealWork, appealDelay: try self.appealDelay)
  }

  /// The apps with extensions of Apple; nil where their addresses are switched off.
  private var appleReportSettings: AppleReportSettings? {
    get throws {
      guard try self.appleReports else { return nil }
      return try self.appleApps.map(AppleReportFile.read) ?? AppleReportSettings()
    }
  }

  /// The address that browsers and apps use. An IPv6 address has brackets around it.
  static func address(url: String?, host: String, port: Int) -> String {
    let host = host.contains(":") ? "[\(host)]" : host
    return (url ?? "http://\(host):\(port)").replacing(/\/+$/, with: "")
  }

  /// The schedule of publications; nil if none are scheduled.
  var schedule: PublicationSchedule? {
    get throws {
      let zone = try self.timeZone
      return try self.publishAt.flatMap { PublicationSchedule(time: $0, zone: zone) }
    }
  }
}
