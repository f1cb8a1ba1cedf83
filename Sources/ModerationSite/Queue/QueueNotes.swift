// SPDX-License-Identifier: Apache-2.0

/// Results of earlier actions that the list of the queue shows.
struct QueueNotes {
  /// Whether no further case could be claimed.
  var isDone = false
  /// The last action, which was about the last case.
  var did: DecisionNotice?
  /// Whether a filter was saved.
  var isSaved = false
  /// The reason why a filter was not saved; empty for none.
  var problem = ""
  /// The name that was typed.
  var name = ""
}
