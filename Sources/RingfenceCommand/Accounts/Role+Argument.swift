public import ArgumentParser
public import Curation
public import ModerationSite

extension Role: ExpressibleByArgument {}

extension SecondFactorPolicy: ExpressibleByArgument {}
