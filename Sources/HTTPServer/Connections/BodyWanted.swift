/// An outbound event of a connection: the body of the present request is about to be read. A client that sent
/// `Expect: 100-continue` is told to go on.
package struct BodyWanted: Sendable {
  package init() {}
}
