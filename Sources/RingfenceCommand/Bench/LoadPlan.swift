/// What is sent, to whom, and for how long.
struct LoadPlan: Sendable {
  let target: LoadTarget
  let key: String
  let connections: Int
  let seconds: Int
  /// Complaints a request.
  let batch: Int
  let seed: UInt64
}
