// SPDX-License-Identifier: Apache-2.0

public import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test if files of real data are missing, and names them.
  /// - Parameter paths: see ``Checkout/shared(_:)``.
  public static func sharedData(_ paths: String...) -> Self {
    let absent = paths.filter { Checkout.shared($0) == nil }
    let names = absent.joined(separator: ", ")
    return .enabled(if: absent.isEmpty, "No real data: \(names). Set RINGFENCE_SHARED to the folder that has it.")
  }
}
