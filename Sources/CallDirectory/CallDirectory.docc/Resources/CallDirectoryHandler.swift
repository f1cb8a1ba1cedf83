import CallDirectory
import CallKit
import Foundation

/// The lists of app and extension; this file belongs to both targets.
enum CallerLists {
  static let group = "group.org.example.app"
  static let extensionID = "org.example.app.calldirectory"

  /// The folder that both share, or nil when the app group is missing from the entitlements.
  static var folder: URL? { FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) }

  static func loader() -> ExtensionLoader? {
    guard let folder else { return nil }
    return ExtensionLoader(
      store: folder.appendingPathComponent("calldirectory"),
      packs: [
        folder.appendingPathComponent("directory.pack"),
        folder.appendingPathComponent("toxic.pack"),
      ],
      personal: folder.appendingPathComponent("personal"))
  }
}

/// The extension.
final class CallDirectoryHandler: CXCallDirectoryProvider, CXCallDirectoryExtensionContextDelegate {
  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    guard let loader = CallerLists.loader() else {
      context.cancelRequest(withError: CocoaError(.fileNoSuchFile))
      return
    }
    loader.serve(context)
  }

  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    // The system has deleted every entry: the next request gets a complete set.
    try? CallerLists.loader()?.forget()
  }
}

/// The app.
enum CallerListsReload {
  /// Loads the lists, in as many requests as they take.
  static func run() async throws {
    guard let loader = CallerLists.loader() else { throw CocoaError(.fileNoSuchFile) }
    repeat {
      try loader.prepareReload()
      do {
        try await CXCallDirectoryManager.sharedInstance.reloadExtension(withIdentifier: CallerLists.extensionID)
        try loader.settle()
      } catch {
        try loader.forget()
        throw error
      }
    } while !loader.isWhole()
  }

  /// Blocks a number for this user, whatever the packs say, and loads the change.
  static func block(_ number: Int64) async throws {
    guard let folder = CallerLists.folder else { throw CocoaError(.fileNoSuchFile) }
    let file = folder.appendingPathComponent("personal")
    var list = try PersonalList(contentsOf: file)
    try list.block(number)
    try list.write(to: file)
    try await run()
  }
}
