// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import PhoneNumbers
import Storage

/// `GET /v1/pbx/{number}` and `GET /v1/pbx?number=`: the name or the verdict of a caller, in one line for telephone systems.
struct TelephoneSystemsController: Sendable {
  /// The form of the answer.
  private enum Form: String {
    case name, verdict, json
  }

  let lookups: HashLookupStore
  let metrics: TelephoneSystemMetrics

  @Sendable func lookUp(_ request: Request, context: ServerRequestContext) async throws -> Response {
    let parameters = request.uri.queryParameters
    let asked = parameters["as"].map(String.init)
    guard let form = asked.map(Form.init(rawValue:)) ?? .name else {
      throw Problem.malformed("The parameter as must be name, verdict or json.")
    }
    let region = parameters["region"].map(String.init)
    if let region, !PhoneRegion.isSupported(region) { throw Problem.notARegion(region) }
    // FreePBX can have the number in the query alone.
    // There a plus may be a space.
    let text =
      context.parameters.get("number").map { $0.removingPercentEncoding ?? $0 }
      ?? parameters["number"].map { $0.hasPrefix(" ") ? "+\($0.dropFirst())" : String($0) }
    guard let number = text.flatMap({ DialedNumber.read($0, region: region) }) else {
      throw Problem.notANumber
    }
    let answer = CallerVerdict(number: number.e164, try await lookups.listed(number: number.digits))
    metrics.note(answer.verdict)
    var response =
      switch form {
      case .name: Self.line(answer.name)
      case .verdict: Self.line(answer.verdict.rawValue)
      case .json: JSON.response(answer)
      }
    response.headers[.cacheControl] = "private, max-age=60"
    return response
  }

  /// One line without an end of line.
  private static func line(_ text: String) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
