// SPDX-License-Identifier: Apache-2.0

import Foundation
import Publishing
import Storage
import TestSupport
import Testing
import Support

@Suite struct NightScheduleTests {
  private func date(_ text: String) throws -> Date { try #require(Timestamp.parse(text)) }

  @Test(arguments: [
    // Summer and winter.
    ("03:00", "Europe/Berlin", "2026-07-10T12:00:00Z", "2026-07-10T01:00:00Z", "2026-07-11T01:00:00Z"),
    ("03:00", "Europe/Berlin", "2026-01-10T01:59:59Z", "2026-01-09T02:00:00Z", "2026-01-10T02:00:00Z"),
    // Exactly at the scheduled time.
    ("03:00", "Europe/Berlin", "2026-01-10T02:00:00Z", "2026-01-10T02:00:00Z", "2026-01-11T02:00:00Z"),
    // Clocks skip from 02:00 to 03:00: 02:30 is moved by the length of the gap.
    ("02:30", "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"),
    // Clocks show 02:30 twice: the first one counts, the second is not another publication.
    ("02:30", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
    ("02:30", "Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
    // Zones with another date, and with half-hour shifts.
    ("03:00", "Pacific/Auckland", "2026-07-10T16:00:00Z", "2026-07-10T15:00:00Z", "2026-07-11T15:00:00Z"),
    ("03:00", "Australia/Lord_Howe", "2026-07-10T17:00:00Z", "2026-07-10T16:30:00Z", "2026-07-11T16:30:00Z"),
  ]) func `the schedule returns the last and next due times`(
    time: String, zone: String, now: String, last: String, next: String
  ) throws {
    let schedule = try #require(PublicationSchedule(time: time, zone: zone))
    #expect(schedule.last(atOrBefore: try date(now)) == (try date(last)))
    #expect(schedule.next(after: try date(now)) == (try date(next)))
  }

  @Test func `a publication is due once a day for many years`() throws {
    var generator = SeededGenerator(seed: 6)
    for zone in ["Europe/Berlin", "America/New_York", "America/Santiago", "Asia/Kolkata", "Africa/Casablanca"] {
      let hour = Int.random(in: 0...3, using: &generator)
      let schedule = try #require(PublicationSchedule(time: "0\(hour):30", zone: zone))
      var due = schedule.next(after: try date("2025-01-01T00:00:00Z"))
      for _ in 0..<730 {
        let next = schedule.next(after: due)
        let hours = next.timeIntervalSince(due) / 3_600
        #expect((23...25).contains(hours), "\(zone) \(due)")
        #expect(schedule.last(atOrBefore: next - 1) == due)
        due = next
      }
    }
  }

  @Test(arguments: [("24:00", "UTC"), ("3:00", "UTC"), ("03:60", "UTC"), ("03:00", "Mars/Olympus"), ("", "UTC")])
  func `an invalid time of day or zone is refused`(time: String, zone: String) {
    #expect(PublicationSchedule(time: time, zone: zone) == nil)
  }

  @Test func `a publication is made once and a failure is retried later`() {
    #expect(PublicationTiming(PublicationAttempts()) == .publish)
    #expect(PublicationTiming(PublicationAttempts(published: 1)) == .done)
    #expect(PublicationTiming(PublicationAttempts(refused: 1, failed: 3, sinceFailure: 0)) == .done)
    #expect(PublicationTiming(PublicationAttempts(running: 1)) == .wait)
    for (failed, minutes) in [(1, 1.0), (2, 2), (3, 4), (4, 8), (5, 10), (50, 10)] {
      #expect(PublicationTiming(PublicationAttempts(failed: failed, sinceFailure: minutes * 60 - 1)) == .wait)
      #expect(
        PublicationTiming(PublicationAttempts(failed: failed, sinceFailure: minutes * 60)) == .publish, "\(failed)")
    }
  }
}
