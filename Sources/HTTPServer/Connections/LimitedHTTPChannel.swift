// SPDX-License-Identifier: Apache-2.0

package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1

/// HTTP/1.1 with a ``ConnectionLimitHandler``, a ``FileSender`` and a handler of the fast path on every connection.
package struct LimitedHTTPChannel: ServerChildChannel {
  /// Creates the handler that takes plain reports before the router.
  package typealias MakeFastPath =
    @Sendable (_ loop: any EventLoop, _ connection: ConnectionLimitHandler, _ end: ConnectionEnd) -> any ChannelHandler

  package typealias Value = HTTP1Channel.Value

  private let http: HTTP1Channel
  private let makeGuard: @Sendable () -> ConnectionLimitHandler
  private let idle: TimeAmount
  private let makeFastPath: MakeFastPath

  package init(
    responder: @escaping HTTPChannelHandler.Responder, limits: ConnectionLimits, networks: NetworkConnections?,
    readiness: Readiness, metrics: RequestMetrics,
    makeFastPath: @escaping MakeFastPath
  ) {
    http = HTTP1Channel(
      responder: responder,
      configuration: .init(
        // 2,000 connections with a head each: 32 MB.
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 8 * 1_024, maxHeaderListSize: 16 * 1_024, maxHeaderFieldCount: 100)))
    idle = TimeAmount(limits.idle)
    self.makeFastPath = makeFastPath
    makeGuard = { ConnectionLimitHandler(limits: limits, networks: networks, readiness: readiness, metrics: metrics) }
  }

  package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let connection = makeGuard()
      let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
      try pipeline.addHandler(connection, position: .after(decoder))
      try pipeline.addHandler(FileSender(), position: .after(decoder))
      let end = ConnectionEnd(connection: connection, patience: idle)
      try pipeline.addHandler(end, position: .first)
      try pipeline.addHandler(makeFastPath(channel.eventLoop, connection, end), position: .after(connection))
      return value
    }
  }

  package func handle(value: Value, logger: Logger) async {
    await http.handle(value: value, logger: logger)
  }
}
