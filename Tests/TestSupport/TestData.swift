// SPDX-License-Identifier: Apache-2.0

// A test that imports TestSupport needs TestData too.
@_exported public import TestData
