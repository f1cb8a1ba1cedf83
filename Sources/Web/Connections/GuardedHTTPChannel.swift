import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// HTTP/1.1 with a ``ConnectionGuard``, a ``FileSender`` and a ``ReportShortcutHandler`` on every connection.
struct GuardedHTTPChannel: ServerChildChannel {
  typealias Value = HTTP1Channel.Value

  private let http: HTTP1Channel
  private let makeGuard: @Sendable () -> ConnectionGuard
  private let idle: TimeAmount
  private let shortcuts: ReportShortcuts

  init(
    responder: @escaping HTTPChannelHandler.Responder, limits: ConnectionLimits, networks: NetworkConnections?,
    readiness: Readiness, shortcuts: ReportShortcuts, metrics: RequestMetrics
  ) {
    http = HTTP1Channel(
      responder: responder,
      configuration: .init(
        // 2,000 connections with a head each: 32 MB.
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8 * 1_024, maxHeaderListSize: 16 * 1_024, maxHeaderFieldCount: 100)))
    idle = TimeAmount(limits.idle)
    self.shortcuts = shortcuts
    makeGuard = { ConnectionGuard(limits: limits, networks: networks, readiness: readiness, metrics: metrics) }
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let connection = makeGuard()
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(connection, position: .after(decoder))
      try pipeline.addHandler(FileSender(), position: .after(decoder))
      let end = ConnectionEnd(connection: connection, patience: idle)
      try pipeline.addHandler(end, position: .first)
      try pipeline.addHandler(
        shortcuts.makeHandler(on: channel.eventLoop, connection: connection, end: end), position: .after(connection))
      return value
    }
  }

  func handle(value: Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}
