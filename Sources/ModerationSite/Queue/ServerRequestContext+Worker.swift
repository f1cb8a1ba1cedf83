// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Curation
import Hummingbird
import PhoneNumbers
import Storage

extension ServerRequestContext {
  /// The signed-in account and its role, for the queue.
  var worker: QueueWorker {
    get throws {
      guard let moderator else { throw Problem.notFound }
      return QueueWorker(account: moderator.name, role: moderator.role)
    }
  }

  /// The number in the path as E.164 digits. No other spelling is accepted: `0162…` is not the number +162….
  var number: PhoneNumber {
    get throws {
      guard let text = parameters.get("number"), case .canonical(let number) = NumberSpelling(text, country: nil) else {
        throw Problem.notFound
      }
      return number
    }
  }
}
