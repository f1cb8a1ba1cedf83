// SPDX-License-Identifier: Apache-2.0

/// The weight of reporters' votes.
public enum ReporterWeight {
  /// The weight of a newcomer: half of an established reporter's.
  public static let newcomer = 0.5
}
