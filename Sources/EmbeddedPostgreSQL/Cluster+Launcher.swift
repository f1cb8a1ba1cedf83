// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Cluster {
  /// The command prefix that drops root and ends the command when this thread ends.
  /// - Throws: ``EmbeddedPostgresError/binariesUnusable(path:reason:)`` when setpriv is missing, which root needs.
  func launcher(for account: Account, parentDeathSignal: String?) throws(EmbeddedPostgresError) -> [String] {
    let isRoot = geteuid() == 0
    guard isRoot || parentDeathSignal != nil else { return [] }
    let places: [String] = ["/usr/bin/setpriv", "/bin/setpriv"]
    guard let setpriv = places.first(where: { access($0, X_OK) == 0 }) else {
      guard isRoot else { return [] }
      throw .binariesUnusable(path: "/usr/bin/setpriv", reason: "it is missing (Debian: apt install util-linux)")
    }
    var words = [setpriv, "--no-new-privs"]
    if isRoot { words += ["--reuid=\(account.uid)", "--regid=\(account.gid)", "--clear-groups"] }
    if let parentDeathSignal { words += ["--pdeathsig", parentDeathSignal] }
    return words + ["--"]
  }

  /// Opens the cluster's folder for a child, if it must be passed open.
  func withHandedFolder<R>(
    _ folder: ClusterFolder, _ body: (Int32?) throws(EmbeddedPostgresError) -> R
  ) throws(EmbeddedPostgresError) -> R {
    guard folder.isHandedOver else { return try body(nil) }
    let descriptor = Glibc.open(folder.root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .folderUnusable(folder: folder.root, reason: SystemError.current) }
    defer { Glibc.close(descriptor) }
    return try body(descriptor)
  }
}
