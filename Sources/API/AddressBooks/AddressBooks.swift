// SPDX-License-Identifier: Apache-2.0

import CallerPack
import Curation
import Foundation
import HTTPServer
import Logging
package import PhoneNumbers
import Publishing
import Storage

package struct AddressBookOptions: Sendable {
  /// The maximum count of numbers in a book.
  package var limit = 1_000
  /// The region of the numbers; nil for all regions.
  package var region: PhoneRegion?
  /// Whether a book has a contact whose name is the day of its publication.
  package var hasDay = false

  package init() {}
}

/// The address books of the newest publication, with the numbers of the highest heat. One task makes a book after a publication;
/// meanwhile, and while the database does not answer, the earlier one is served.
actor AddressBooks {
  private struct Making {
    let start: ContinuousClock.Instant
    let task: Task<AddressBook, any Error>
  }

  /// An earlier book, for the changes since then.
  private struct Earlier {
    let kind: AddressBook.Kind
    let serial: Int64
    let task: Task<AddressBook?, Never>
  }

  /// The longest that a request waits for the first book.
  private static let patience = Duration.seconds(20)
  /// The longest that requests wait while there is an earlier book, from the start of its task: a device that asks once
  /// a day would otherwise always have the book of the day before.
  private static let shortPatience = Duration.seconds(3)
  /// The time after a failure in which no book is made.
  private static let pause = Duration.seconds(30)
  /// The maximum publications between a book that is served and the newest one.
  private static let maxBehind: Int64 = 2
  /// The earlier books of each kind in memory.
  private static let maxEarlier = 2
  /// Several regions share a calling code, so more numbers are read than a book has.
  private static let readFactor = 20

  private let newest: NewestManifest
  private let files: AddressBookFiles
  private let callers: CallerStore
  private let publications: PublicationStore
  private let options: AddressBookOptions
  private let logger = Logger(label: "ringfence.addressbooks")
  private var known: [AddressBook.Kind: AddressBook] = [:]
  private var making: [AddressBook.Kind: Making] = [:]
  private var pausedUntil: [AddressBook.Kind: ContinuousClock.Instant] = [:]
  /// The newest first.
  private var earlierBooks: [Earlier] = []

  init(
    newest: NewestManifest, folder: PublicationFolder, callers: CallerStore, publications: PublicationStore,
    options: AddressBookOptions
  ) {
    self.newest = newest
    files = AddressBookFiles(folder: folder, limit: options.limit, region: options.region?.code, hasDay: options.hasDay)
    self.callers = callers
    self.publications = publications
    self.options = options
  }

  /// The newest book. While the manifest cannot be read, it is the known one: an empty book would let devices delete
  /// their contacts.
  /// - Throws: ``Problem`` without a publication, and where the known book is too old; the errors of the database, and
  ///   `DeadlineExceeded`, where there is no earlier book.
  func book(_ kind: AddressBook.Kind) async throws -> AddressBook {
    guard let serial = await newestSerial() else {
      guard let known = known[kind] else { throw Problem.unavailable }
      return known
    }
    let earlier = known[kind].flatMap { abs(serial - $0.serial) <= Self.maxBehind ? $0 : nil }
    if let earlier, earlier.serial == serial { return earlier }
    guard let making = making[kind] ?? make(kind, serial) else {
      guard let earlier else { throw Problem.unavailable }
      return earlier
    }
    let patience = earlier == nil ? Self.patience : making.start + Self.shortPatience - .now
    if let earlier, patience <= .zero { return earlier }
    do {
      return try await withDeadline(patience) { try await making.task.value }
    } catch {
      guard let earlier else { throw error }
      return earlier
    }
  }

  /// The book that a client has; nil if it is not kept.
  func earlier(_ kind: AddressBook.Kind, serial: Int64, tag: String) async -> AddressBook? {
    let book: AddressBook?
    if let earlier = earlierBooks.first(where: { $0.kind == kind && $0.serial == serial }) {
      book = await earlier.task.value
    } else {
      // One book at a time is read: any client may ask for any serial.
      let previous = earlierBooks.first?.task
      let task = Task { [files] in
        _ = await previous?.value
        return await files.book(kind, serial: serial)
      }
      keepEarlier(Earlier(kind: kind, serial: serial, task: task))
      book = await task.value
      if book == nil { earlierBooks.removeAll { $0.kind == kind && $0.serial == serial } }
    }
    return book?.tag == tag ? book : nil
  }

  private func keepEarlier(_ book: Earlier) {
    let others = earlierBooks.filter { $0.kind == book.kind && $0.serial != book.serial }.prefix(Self.maxEarlier - 1)
    earlierBooks = [book] + others + earlierBooks.filter { $0.kind != book.kind }
  }

  /// Nil where it cannot be read.
  private func newestSerial() async -> Int64? {
    do {
      return try await newest.manifest()?.serial
    } catch {
      log("the manifest cannot be read", error)
      return nil
    }
  }

  /// - Returns: nil for some time after a failure.
  private func make(_ kind: AddressBook.Kind, _ serial: Int64) -> Making? {
    if let end = pausedUntil[kind], end > .now { return nil }
    let task = Task {
      defer { self.making[kind] = nil }
      do {
        let book = try await read(kind, serial)
        if let earlier = known[kind], earlier.serial != serial {
          keepEarlier(Earlier(kind: kind, serial: earlier.serial, task: Task { earlier }))
        }
        known[kind] = book
        return book
      } catch {
        // The database has the listings of a publication some seconds after the manifest.
        guard !(error is Problem) else { throw error }
        log("the address book \(kind.rawValue) cannot be made", error)
        pausedUntil[kind] = .now + Self.pause
        throw error
      }
    }
    let making = Making(start: .now, task: task)
    self.making[kind] = making
    return making
  }

  private func read(_ kind: AddressBook.Kind, _ serial: Int64) async throws -> AddressBook {
    if let book = await files.book(kind, serial: serial) { return book }
    try await publications.requireListings(of: serial)
    let limit = options.region == nil ? options.limit : options.limit * Self.readFactor
    let hottest = try await callers.hottest(
      blocks: kind == .block, prefix: CallerStore.prefix(of: options.region), limit: min(limit, CallerStore.maxHottest),
      at: .now)
    let day = options.hasDay ? try await newest.manifest().map { [AddressBook.Entry.day($0.issued)] } ?? [] : []
    let entries =
      day
      + hottest.lazy.filter { [options] caller in
        options.region == nil || RegionMap.countries.region(of: caller.number) == options.region?.code
      }.prefix(options.limit).map { AddressBook.Entry(number: $0.number, name: $0.label ?? $0.category.label) }
    let made = AddressBook(kind, serial: serial, entries: Array(entries))
    do {
      return try await files.keep(Array(entries), of: made)
    } catch {
      log("the address book \(kind.rawValue) cannot be written", error)
      return made
    }
  }

  private func log(_ message: Logger.Message, _ error: any Error) {
    logger.error(message, metadata: ["error": .string(String(describing: error))])
  }
}
