// Who imports the one needs the other.
@_exported public import TestData
