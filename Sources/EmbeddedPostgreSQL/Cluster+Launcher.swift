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

  /// Opens the folders that a child must receive open: the cluster's and the archive's.
  /// - Parameter archive: folder to which the log is copied, or from which it is restored.
  func withHandedFolders<R>(
    _ folder: ClusterFolder, archive: String? = nil, _ body: ([Int32]) throws(EmbeddedPostgresError) -> R
  ) throws(EmbeddedPostgresError) -> R {
    let archive = geteuid() == 0 ? archive : nil
    guard folder.isHandedOver || archive != nil else { return try body([]) }
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { Glibc.close(descriptor) } }
    var folders = [(path: folder.root, flags: O_NOFOLLOW)]
    if let archive { folders.append((archive, 0)) }
    for (path, flags) in folders {
      let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags)
      guard descriptor >= 0 else { throw .folderUnusable(folder: path, reason: SystemError.current) }
      descriptors.append(descriptor)
    }
    return try body(descriptors)
  }
}
