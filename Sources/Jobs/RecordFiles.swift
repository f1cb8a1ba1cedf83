// SPDX-License-Identifier: Apache-2.0

import Support
import Foundation
package import Intake

/// The files that must be written before or after a change: the erasure journal, and the output of the audit log.
package struct RecordFiles: Sendable {
  /// The raw value is in metrics and events.
  package enum Kind: String, Sendable, CaseIterable {
    case erasureJournal = "erasure_journal"
    case auditOutput = "audit_output"
  }

  private let journal: ErasureJournal?
  private let output: AuditOutput?

  package init(journal: ErasureJournal?, output: AuditOutput?) {
    (self.journal, self.output) = (journal, output)
  }

  /// Why a file cannot be written; nil where it can, and where there is none. An output of syslog is not asked.
  package func failure(of kind: Kind) -> (reason: String, isFullDisk: Bool)? {
    do throws(FileFailure) {
      switch kind {
      case .erasureJournal: try journal?.check()
      case .auditOutput: if case .file(let path)? = output { try AppendableFile.check(path) }
      }
      return nil
    } catch {
      return (error.description, [ENOSPC, EDQUOT].contains(error.code))
    }
  }
}
