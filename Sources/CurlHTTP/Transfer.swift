// SPDX-License-Identifier: Apache-2.0

import ServerSupport
import CCurl
import Foundation
import OutboundHTTP

/// A handle of libcurl for one request after another, each on the thread that calls ``run``. Connections stay open for the
/// next request.
final class Transfer: @unchecked Sendable {
  // Unchecked: one thread at a time has the handle, and any may wake it up.

  /// The limit for the bytes of a response that are not content, in addition to ``framingPerByte``: status lines, fields,
  /// chunk sizes and extensions, trailers. libcurl 7.88 of Debian 12 and 8.14 of Debian 13 refuse a line of a head beyond
  /// 100 KiB, a head beyond 300 KiB and a trailer beyond 4 KiB, but not many trailers, nor extensions of any length.
  private static let maxFraming = 128 << 10
  /// Bytes of framing allowed for each byte of content: a chunk of one byte has 5 bytes of framing.
  private static let framingPerByte = 8

  private struct State {
    var limit = 0
    var head: (OutboundResponse) throws -> Void = { _ in }
    var body: (Data) throws -> Void = { _ in }
    var hasStatusLine = false
    var fields: [(name: String, value: String)] = []
    var answer: OutboundResponse?
    var failure: (any Error)?
    /// Whether the server has announced the end of the connection.
    var hasNotice = false
    /// Bytes of the response, the bytes of its content, and the time of the last.
    var received = 0
    var content = 0
    var latest = ContinuousClock.now
  }

  // Nil only without memory.
  private let easy = curl_easy_init()!
  private let multi = curl_multi_init()!
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  private var state = State()

  deinit {
    nonisolated(unsafe) let (easy, multi, lists) = (easy, multi, lists)
    // On a thread, because libcurl waits here for the resolver of an abandoned transfer.
    startThread {
      ccurl_set_callbacks(easy, nil, nil, nil, nil)
      ccurl_set_number(easy, CURLOPT_VERBOSE, 0)
      curl_multi_remove_handle(multi, easy)
      curl_easy_cleanup(easy)
      curl_multi_cleanup(multi)
      lists.forEach { curl_slist_free_all($0) }
    }
  }

  /// Ends the pause of a transfer that waits for its server.
  func wake() { curl_multi_wakeup(multi) }

  /// Sends a request, until the end of the response.
  /// - Returns: the head of the response.
  /// - Throws: ``HTTPClientError``, `CancellationError`, and errors of `head` and `body`. The handle is then of no use.
  func run(
    _ request: OutboundRequest, _ client: CurlTransport, _ cancellation: CancellationFlag, limit: Int, total: Duration,
    head: @escaping (OutboundResponse) throws -> Void, body: @escaping (Data) throws -> Void
  ) throws -> OutboundResponse {
    let (deadline, url) = (ContinuousClock.now + total, request.url)
    // Files that the receivers hold are closed with them.
    defer { state = State() }
    state = State(limit: limit, head: head, body: body)
    try prepare(request, client.addresses)
    let code = try perform {
      if cancellation.isSet { throw CancellationError() }
      let now = ContinuousClock.now
      guard now < deadline else { throw HTTPClientError.tookTooLong(total) }
      guard now - state.latest < client.idle else { throw HTTPClientError.silent }
      return min(deadline - now, .seconds(1))
    }
    // The body of a response without success is not read.
    guard let answer = state.answer, code == CURLE_OK || !answer.isSuccess else {
      let number = ccurl_number(easy, CURLINFO_OS_ERRNO)
      let reason = number == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: strerror(Int32(number)))
      throw HTTPClientError(curl: Int(code.rawValue), reason, hasSystemError: number != 0, at: url)
    }
    // Without a length, only a notice shows that nobody has cut off the end. libcurl does not ask for it.
    if url.scheme?.lowercased() == "https", answer.isSuccess, !answer.hasLength, !state.hasNotice {
      throw HTTPClientError.endedEarly
    }
    return answer
  }

  private func prepare(_ request: OutboundRequest, _ addresses: [String: String]?) throws {
    let sent = request.fields.merging(["Accept-Encoding": "identity", "Expect": ""]) { $1 }.map { "\($0): \($1)" }
    guard sent.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else { throw HTTPClientError.malformed }
    curl_easy_reset(easy)
    lists.forEach { curl_slist_free_all($0) }
    lists = []
    set(CURLOPT_HTTPHEADER, sent)
    if let addresses {
      guard let address = request.url.host.flatMap({ addresses[$0] }) else { throw HTTPClientError.unsupportedAddress }
      // For every host and port, so that libcurl cannot read another host in the URL and resolve it.
      set(CURLOPT_CONNECT_TO, ["::\(address.contains(":") ? "[\(address)]" : address):"])
    }
    let texts = [
      (CURLOPT_URL, request.url.absoluteString), (CURLOPT_CUSTOMREQUEST, request.method),
      (CURLOPT_USERAGENT, "ringfence"),
      // No proxy of the environment.
      (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_PROXY, ""),
    ]
    for (option, text) in texts { ccurl_set_pointer(easy, option, text) }
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_HTTP_VERSION, ccurl_http_1_1), (CURLOPT_SSLVERSION, ccurl_tls_1_2),
      (CURLOPT_CONNECTTIMEOUT_MS, 10_000), (CURLOPT_NOSIGNAL, 1), (CURLOPT_VERBOSE, 1),
      // libcurl sends a request again if a kept connection turns out to be closed (RFC 9112, 9.3.1).
      (CURLOPT_FRESH_CONNECT, request.body == nil ? 0 : 1), (CURLOPT_FORBID_REUSE, request.body == nil ? 0 : 1),
    ]
    for (option, number) in numbers { ccurl_set_number(easy, option, number) }
    request.body?.withUnsafeBytes { ccurl_set_body(easy, $0.baseAddress, curl_off_t($0.count)) }
    ccurl_set_callbacks(easy, Unmanaged.passUnretained(self).toOpaque()) { bytes, _, count, context in
      Transfer.of(context).receive(bytes, count) { try $0.receiveLine($1) }
    } _: { bytes, _, count, context in
      Transfer.of(context).receive(bytes, count) { try $0.receivePiece($1) }
    } _: { _, type, bytes, count, context in
      // Only here does libcurl show the bytes between the pieces of a body, and alerts of TLS (RFC 8446, 6.1).
      if type == CURLINFO_DATA_IN || type == CURLINFO_HEADER_IN {
        Transfer.of(context).state.received += count
        Transfer.of(context).state.latest = .now
      } else if type == CURLINFO_SSL_DATA_IN, count == 2, let bytes, bytes[0] == 1, bytes[1] == 0 {
        Transfer.of(context).state.hasNotice = true
      }
      return 0
    }
  }

  private func set(_ option: CURLoption, _ lines: [String]) {
    guard let list = lines.reduce(nil, { curl_slist_append($0, $1) }) else { return }
    lists.append(list)
    ccurl_set_pointer(easy, option, list)
  }

  /// - Parameter pause: the longest time to wait for data; its errors end the transfer.
  private func perform(_ pause: () throws -> Duration) throws -> CURLcode {
    curl_multi_add_handle(multi, easy)
    var running: Int32 = 1
    while true {
      // Returns after at most 1.6 MB, and where it would wait.
      curl_multi_perform(multi, &running)
      if let failure = state.failure { throw failure }
      guard state.received - state.content <= Self.maxFraming + Self.framingPerByte * state.content else {
        throw HTTPClientError.malformed
      }
      // Small chunks: a quarter more than the content may have, as bytes between its pieces.
      guard (state.received - Self.maxFraming) / 5 <= state.limit / 4 else {
        throw HTTPClientError.tooLong(limit: state.limit)
      }
      guard running > 0 else { break }
      curl_multi_poll(multi, nil, 0, Int32((try pause() / .milliseconds(1)).rounded(.up)), nil)
    }
    var left: Int32 = 0
    let code = curl_multi_info_read(multi, &left)?.pointee.data.result ?? CURLE_OK
    curl_multi_remove_handle(multi, easy)
    return code
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(context!).takeUnretainedValue()
  }

  /// - Returns: the number of bytes that were taken; a smaller one ends the transfer.
  private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ take: (Transfer, UnsafeRawBufferPointer) throws -> Bool
  ) -> Int {
    do {
      return try take(self, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
    } catch {
      state.failure = error
      return -1
    }
  }

  private func receiveLine(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    // A trailer.
    guard state.answer == nil else { return true }
    let line = bytes.prefix { $0 != 0x0D && $0 != 0x0A }
    guard bytes.count - line.count <= 2 else { throw HTTPClientError.malformed }
    if !state.hasStatusLine {
      state.hasStatusLine = true
    } else if line.isEmpty {
      let answer = OutboundResponse(status: ccurl_number(easy, CURLINFO_RESPONSE_CODE), fields: state.fields)
      (state.hasStatusLine, state.fields) = (false, [])
      guard answer.status >= 100 else { throw HTTPClientError.malformed }
      // Otherwise an interim response: the final one follows.
      if answer.status >= 200 { state.answer = answer }
      if answer.isSuccess {
        try answer.checkBody(limit: state.limit)
        try state.head(answer)
      }
    } else {
      state.fields.append(try OutboundResponse.field(of: line))
    }
    return true
  }

  private func receivePiece(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    guard let answer = state.answer else { throw HTTPClientError.malformed }
    guard answer.isSuccess else { return false }
    state.content += bytes.count
    guard state.content <= state.limit else { throw HTTPClientError.tooLong(limit: state.limit) }
    try state.body(Data(bytes))
    return true
  }
}
