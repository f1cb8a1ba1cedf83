// SPDX-License-Identifier: Apache-2.0

import PhoneNumbers

extension RejectReason {
  /// The reason that corresponds to an error of a number.
  init(_ error: PhoneNumberError) {
    self =
      switch error {
      case .empty: .emptyNumber
      case .notANumber: .notANumber
      case .tooShort: .tooShort
      case .tooLong: .tooLong
      case .notValid: .notValid
      case .shortOrEmergency: .shortOrEmergency
      case .unknownRegion: .badRegion
      case .needsRegion: .needsRegion
      case .unknownCallingCode: .unknownCallingCode
      case .libraryFailure: .libraryFailure
      }
  }
}
