/// The name that answers give in `Server`.
package enum ServerName {
  package static let text = "ringfence"
}
