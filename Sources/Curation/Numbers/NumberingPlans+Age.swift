// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PhoneNumbers
import Support

extension NumberingPlans {
  /// Plans that are older than 180 days, in seconds, do not have many fresh numbers.
  private static let maxAge: TimeInterval = 180 * 86_400

  /// The time of their date; nil where it is no date.
  public var time: Date? { Timestamp.parse("\(date)T00:00:00Z") }

  /// Whether fresh numbers are missing; also where the date cannot be read.
  public func isOld(at now: Date) -> Bool { time.map { now.timeIntervalSince($0) > Self.maxAge } ?? true }
}
