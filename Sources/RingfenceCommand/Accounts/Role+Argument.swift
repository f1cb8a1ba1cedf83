public import ArgumentParser
public import Curation
public import Web

extension Role: ExpressibleByArgument {}

extension SecondFactorPolicy: ExpressibleByArgument {}
