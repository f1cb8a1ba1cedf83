// SPDX-License-Identifier: Apache-2.0

import CallDirectory
import CallerPack
import CallerPackBuilder
import Foundation
import Synchronization
import TestData

/// The entry of a list for a number, computed by the tests.
struct Caller: Hashable {
  var blocks: Bool
  var label: String?
}

typealias Callers = [Int64: Caller]

/// A phone: a folder that app and extension share, and a simulated system.
final class PhoneFixture {
  let folder: URL
  var system = CallDirectorySimulator()
  var packs: [URL] = []
  var pageOperations = CallDirectoryLimits.pageOperations
  /// The contents of the packs, in order of priority.
  private(set) var said: [Callers] = []
  var personalList = PersonalList()

  var store: URL { folder.appendingPathComponent("store") }
  var personal: URL { folder.appendingPathComponent("personal") }

  init() throws {
    // Thousands of small durable files: in memory where the system has a folder for that.
    let memory = URL(fileURLWithPath: "/dev/shm")
    let root = FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
    folder = root.appendingPathComponent("ringfence-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Replaces the pack at an index, as an app does: a new file gets the name.
  func publish(_ callers: Callers, at index: Int = 0, profile: PackProfile = .lean) throws {
    while packs.count <= index {
      packs.append(folder.appendingPathComponent("list\(packs.count).pack"))
      said.append([:])
    }
    try Self.write(callers, to: packs[index], profile: profile)
    said[index] = callers
  }

  /// Packs that were built before, by content: a kill at every step needs the same few again and again.
  private static let built = Mutex<[Callers: Data]>([:])

  static func write(_ callers: Callers, to file: URL, profile: PackProfile = .lean) throws {
    guard profile == .lean, callers.count < 100 else { return try build(callers, file, profile) }
    let fresh = file.appendingPathExtension("fresh")
    if let known = built.withLock({ $0[callers] }) {
      try known.write(to: fresh)
    } else {
      try build(callers, fresh, profile)
      let data = try Data(contentsOf: fresh)
      built.withLock { $0[callers] = data }
    }
    // A new file gets the name, because the old one may be linked into a store.
    guard rename(fresh.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  private static func build(_ callers: Callers, _ file: URL, _ profile: PackProfile) throws {
    let writer = try PackWriter(path: file.path, options: .init(kind: .both, profile: profile))
    for (number, caller) in callers.sorted(by: { $0.key < $1.key }) {
      var roles: PackRoles = []
      if caller.blocks { roles.insert(.blocks) }
      if caller.label != nil { roles.insert(.identifies) }
      try writer.append(PackEntry(number: number, label: caller.label, roles: roles))
    }
    try writer.finish()
  }

  func savePersonalList() throws { try personalList.write(to: personal) }

  func loader(_ killSwitch: KillSwitch? = nil) -> ExtensionLoader {
    ExtensionLoader(
      store: store, packs: packs, personal: personal, pageOperations: pageOperations, killSwitch: killSwitch)
  }

  /// The app announces a reload, the system makes the request, and the extension may be killed at a step. The app does
  /// not learn the outcome.
  @discardableResult
  func reload(killedBy killSwitch: KillSwitch = KillSwitch()) throws -> CallDirectorySimulator.Outcome {
    try loader().prepareReload()
    return system.reload(with: loader(killSwitch), killSwitch: killSwitch)
  }

  /// The same, killed at a step.
  @discardableResult
  func reload(killedAt step: Int) throws -> CallDirectorySimulator.Outcome {
    try reload(killedBy: KillSwitch(at: step))
  }

  /// The entries that a system must have: the packs by priority, overridden by the user's list, computed in a simple
  /// way.
  var expected: Callers {
    var result: Callers = [:]
    for callers in said {
      for (number, caller) in callers {
        let known = result[number] ?? Caller(blocks: false, label: nil)
        result[number] = Caller(blocks: known.blocks || caller.blocks, label: known.label ?? caller.label)
      }
    }
    for entry in personalList.blockedWithMarks {
      result[entry.number, default: Caller(blocks: false, label: nil)].blocks = !entry.isRemoved
    }
    for entry in personalList.identifiedWithMarks {
      result[entry.number, default: Caller(blocks: false, label: nil)].label = entry.isRemoved ? nil : entry.label
    }
    return result.filter { $0.value.blocks || $0.value.label != nil }
  }

  /// The entries that the system has.
  var held: Callers {
    var result: Callers = [:]
    for number in system.blocking { result[number] = Caller(blocks: true, label: system.identification[number]) }
    for (number, label) in system.identification where result[number] == nil {
      result[number] = Caller(blocks: false, label: label)
    }
    return result
  }
}

enum Lists {
  /// A list of `count` numbers out of a small range, so that lists overlap.
  static func random(_ count: Int, within range: ClosedRange<Int64> = 1...200, using generator: inout SeededGenerator)
    -> Callers
  {
    var callers: Callers = [:]
    for _ in 0..<count {
      let label = Bool.random(using: &generator) ? "Name \(Int.random(in: 0...3, using: &generator))" : nil
      let blocks = label == nil || Bool.random(using: &generator)
      callers[Int64.random(in: range, using: &generator)] = Caller(blocks: blocks, label: label)
    }
    return callers
  }
}

extension CallDirectorySimulator.Outcome {
  /// Whether the request kept every rule, including those that the system enforces silently.
  var isClean: Bool { fault == nil && droppedLabels == 0 && ignoredAdditions == 0 && lateRemovals == 0 }
}
