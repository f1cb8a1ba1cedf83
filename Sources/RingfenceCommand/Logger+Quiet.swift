// SPDX-License-Identifier: Apache-2.0

package import Logging
import Telemetry

extension Logger {
  /// Logs warnings and errors to standard error, for commands that print their own results.
  package static let quiet = {
    var logger = Logger(label: "ringfence") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .warning
    return logger
  }()

  /// Logs for the server in the format of ``LogFormat/current``.
  static let server = {
    var logger = Logger(label: "ringfence") { ServerLogHandler(label: $0) }
    logger.logLevel = .info
    return logger
  }()
}
