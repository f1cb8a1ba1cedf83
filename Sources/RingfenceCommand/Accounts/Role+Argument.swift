public import ArgumentParser
public import Curation

extension Role: ExpressibleByArgument {}
