// SPDX-License-Identifier: Apache-2.0

package import API
package import HTTPServer
package import ModerationSite

package struct ServerConfiguration: Sendable {
  /// Name or address to listen on; loopback by default.
  package var host = "127.0.0.1"
  /// 1 to 65,535, or 0 for any free one.
  package var port = 8_080
  /// Folder of style sheets and scripts.
  package var publicFolder: String
  package var templateFolder: String
  /// Folder of the message catalogs, with a folder for each language.
  package var textFolder: String
  package var openAPIFile: String
  /// Maximum connections. If more arrive, idle ones are closed; without any, the new ones wait in the kernel's queue.
  package var maxConnections = 2_048
  package var connections = ConnectionLimits()
  /// Whether every connection comes from a trusted proxy, whose entry in `X-Forwarded-For` is the client's address.
  package var trustsProxy = false
  /// The bearer token for the metrics; nil refuses every request.
  package var metricsToken: String?
  var logsRequests = false
  /// The settings that API and pages share.
  package var access = AccessConfiguration()
  package var api = APIConfiguration()
  package var site = SiteConfiguration()

  package init(publicFolder: String, templateFolder: String, textFolder: String, openAPIFile: String) {
    self.publicFolder = publicFolder
    self.templateFolder = templateFolder
    self.textFolder = textFolder
    self.openAPIFile = openAPIFile
  }
}
