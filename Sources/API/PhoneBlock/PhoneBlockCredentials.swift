// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Intake
import Storage

/// The users of PhoneBlock's clients, by their keys.
enum PhoneBlockCredentials {
  /// A bearer token, or the password of basic authentication.
  static let places: ClientKey.Places = [.bearer, .basic]

  /// The user of a request. PhoneBlock's clients do not name their users, so each key is one: reports of several phones
  /// with the same key are those of one reporter.
  static func reporter(of request: Request) throws -> String {
    guard let key = ClientKey.key(of: request, in: places) else { throw Problem.unauthorized }
    return "phoneblock \(Hexadecimal.text(SHA256.hash(data: Data(key.utf8)).prefix(16)))"
  }
}

extension Pseudonymizer {
  /// The pseudonym of a request's user, as in reports.
  func pseudonym(of request: Request, context: ServerRequestContext) throws -> [UInt8] {
    guard let app = context.app else { throw Problem.unauthorized }
    return pseudonym(of: try PhoneBlockCredentials.reporter(of: request), appID: app.id)
  }
}
