import Curation
import Hummingbird
import PhoneNumbers
import Storage

extension WebContext {
  /// Who works here.
  var worker: QueueWorker {
    get throws {
      guard let moderator else { throw Problem.notFound }
      return QueueWorker(account: moderator.name, role: moderator.role)
    }
  }

  /// The number that the address names.
  var number: PhoneNumber {
    get throws {
      guard let digits = parameters.get("number", as: Int64.self), let number = PhoneNumber(digits: digits) else {
        throw Problem.notFound
      }
      return number
    }
  }
}
