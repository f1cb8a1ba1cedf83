// SPDX-License-Identifier: Apache-2.0

/// The statements of the server. Each function returns one; it is in the folder of its domain, beside the type of its
/// rows.
package enum SQL {}
