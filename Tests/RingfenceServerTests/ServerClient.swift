// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import ServiceLifecycle
import TestSupport

/// The answer of a server.
struct TestResponse: Sendable {
  let head: HTTPResponse
  let body: ByteBuffer

  var status: HTTPResponse.Status { head.status }
  var headers: HTTPFields { head.headerFields }
}

/// A client with a connection for each request: a server may close one after an answer.
struct ServerClient: Sendable {
  let port: Int

  struct NoAnswer: Error {}

  @discardableResult
  func execute(
    uri: String, method: HTTPRequest.Method, headers: HTTPFields = [:], body: ByteBuffer? = nil
  ) async throws -> TestResponse {
    var request = HTTPRequestHead(version: .http1_1, method: .init(rawValue: method.rawValue), uri: uri)
    request.headers.add(name: "Host", value: "localhost")
    for field in headers { request.headers.add(name: field.name.rawName, value: field.value) }
    if let body { request.headers.replaceOrAdd(name: "Content-Length", value: "\(body.readableBytes)") }
    let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "localhost", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
            wrappingChannelSynchronously: channel)
        }
      }
    // Every wait has a limit.
    let limit = connection.channel.eventLoop.scheduleTask(in: .seconds(300)) {
      connection.channel.close(promise: nil)
    }
    defer { limit.cancel() }
    return try await connection.executeThenClose { [request] answers, requests in
      var parts = [HTTPClientRequestPart.head(request)]
      if let body { parts.append(.body(.byteBuffer(body))) }
      do {
        try await requests.write(contentsOf: parts + [.end(nil)])
      } catch ChannelError.ioOnClosedChannel {
        // A server may answer and close before it has read all: its answer is there to be read.
      }
      var (head, content) = (HTTPResponse?.none, ByteBuffer())
      for try await part in answers {
        switch part {
        case .head(let answer): head = HTTPResponse(answer)
        case .body(var bytes): content.writeBuffer(&bytes)
        case .end: if let head { return TestResponse(head: head, body: content) }
        }
      }
      throw NoAnswer()
    }
  }
}

extension HTTPResponse {
  fileprivate init(_ head: HTTPResponseHead) {
    self.init(status: .init(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase))
    for (name, value) in head.headers {
      if let name = HTTPField.Name(name) { headerFields.append(HTTPField(name: name, value: value)) }
    }
  }
}

extension Router where Context: InitializableFromSource<ApplicationRequestContextSource> {
  /// The answers of a server with this router to GET requests.
  func answers(
    to paths: [String], headers: HTTPFields = [:], logger: Logger = .forTests
  ) async throws -> [TestResponse] {
    let ports = AsyncStream<Int>.makeStream()
    let application = Application(
      router: self, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { ports.continuation.yield($0.localAddress?.port ?? 0) }, logger: logger)
    let service = ServiceGroup(services: [application], logger: logger)
    async let running: Void = {
      // Without a port, where the server does not start.
      defer { ports.continuation.finish() }
      try await service.run()
    }()
    var found: [TestResponse] = []
    for await port in ports.stream {
      for path in paths {
        found.append(try await ServerClient(port: port).execute(uri: path, method: .get, headers: headers))
      }
      await service.triggerGracefulShutdown()
      break
    }
    try await running
    return found
  }
}
