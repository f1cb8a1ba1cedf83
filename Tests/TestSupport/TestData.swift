// A test that imports TestSupport needs TestData too.
@_exported public import TestData
