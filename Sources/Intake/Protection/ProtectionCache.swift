public import Curation
import Foundation
public import Logging
public import Storage
import Synchronization

/// Protected numbers as intake knows them: in memory, and looked after twice a minute.
///
/// A report about a protected number is taken, kept and answered like any other, but weighs nothing. Refusing it would lose
/// what moderators should see (a bank whose number is spoofed all day), would make phones send it again and again, and
/// would tell a client that tries numbers which of them are protected. The effect of a change of protection on reports
/// that are there already, the hourly recount of weights makes good.
public final class ProtectionCache: Sendable {
  private struct Known {
    var numbers = ProtectedNumbers.none
    var version: Int64?
  }

  private let store: ProtectionStore?
  private let known = Mutex(Known())

  /// How long a change may take to reach a server.
  public static let interval = Duration.seconds(30)

  /// Nothing is protected.
  public static let none = ProtectionCache(store: nil)

  /// - Parameter store: nil: nothing is protected.
  public init(store: ProtectionStore?) {
    self.store = store
  }

  /// Whether a number is protected, as far as is known.
  public func isProtected(_ number: Int64) -> Bool {
    known.withLock { $0.numbers }.rule(for: number) != nil
  }

  /// The protected numbers that were read last.
  public var numbers: ProtectedNumbers { known.withLock { $0.numbers } }

  /// Looks whether something has changed, and reads it then.
  public func refresh() async throws {
    guard let store else { return }
    // Before the numbers: what changes in between is read again next time.
    let version = try await store.version()
    guard version != known.withLock({ $0.version }) else { return }
    let numbers = try await store.load()
    known.withLock { $0 = Known(numbers: numbers, version: version) }
  }

  /// Refreshes until the task is cancelled.
  public func run(logger: Logger) async {
    while !Task.isCancelled {
      do {
        try await refresh()
      } catch  where Task.isCancelled {
        return
      } catch {
        logger.error("Cannot read protected numbers; using those read before", metadata: ["error": "\(error)"])
      }
      guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
    }
  }

  /// The reports, those about protected numbers with no weight.
  public func unweighing(_ reports: [Report]) -> [Report] {
    let numbers = known.withLock { $0.numbers }
    var reports = reports
    for index in reports.indices where numbers.rule(for: reports[index].number) != nil { reports[index].weight = 0 }
    return reports
  }
}
