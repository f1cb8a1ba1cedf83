import HTTPServer
import Curation
import Hummingbird
import PhoneNumbers
import Storage

extension ServerRequestContext {
  /// Who works here.
  var worker: QueueWorker {
    get throws {
      guard let moderator else { throw Problem.notFound }
      return QueueWorker(account: moderator.name, role: moderator.role)
    }
  }

  /// The number that the address names, by its digits and no other spelling: `0162…` is not the number +162….
  var number: PhoneNumber {
    get throws {
      guard let text = parameters.get("number"), case .canonical(let number) = NumberSpelling(text, country: nil) else {
        throw Problem.notFound
      }
      return number
    }
  }
}
