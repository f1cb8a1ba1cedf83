"""The kit as an app takes it: no package of the server, an example that compiles, and documentation with its code."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
EXAMPLE = CHECKOUT / "Examples/CallDirectoryApp"
KIT = ["CallerPack", "CallerPackBuilder", "CallDirectory", "RingfenceClient", "PhoneNumbers"]
PACKAGES = {"swift-crypto", "swift-asn1"}
BINARY = Path(os.environ.get("RINGFENCE_BINARY", CHECKOUT / ".build/debug/ringfence"))


def swift(*arguments):
    done = subprocess.run(["swift", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def resolved(package):
    return {pin["identity"] for pin in json.loads((package / "Package.resolved").read_text())["pins"]}


def test_an_app_without_traits_resolves_no_package_of_the_server(tmp_path):
    (tmp_path / "Sources/App").mkdir(parents=True)
    (tmp_path / "Sources/App/App.swift").write_text("import CallerPack\nimport RingfenceClient\n")
    (tmp_path / "Package.swift").write_text(f"""// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "App",
  platforms: [.macOS(.v15), .iOS(.v15)],
  dependencies: [.package(name: "ringfence", path: "{CHECKOUT}", traits: [])],
  targets: [
    .target(
      name: "App",
      dependencies: [
        .product(name: "CallerPack", package: "ringfence"), .product(name: "RingfenceClient", package: "ringfence"),
      ])
  ]
)
""")
    swift("package", "--package-path", tmp_path, "resolve")
    assert resolved(tmp_path) == PACKAGES
    # With the trait of the tool, the parser of its arguments alone is added.
    manifest = tmp_path / "Package.swift"
    manifest.write_text(manifest.read_text().replace("traits: []", 'traits: ["Tools"]'))
    swift("package", "--package-path", tmp_path, "resolve")
    assert resolved(tmp_path) == PACKAGES | {"swift-argument-parser"}


def swiftc(folder, modules, cache, *arguments):
    """Runs the compiler on the files of a folder of the example, with the modules that were built beside the program."""
    done = subprocess.run(
        ["swiftc", *map(str, arguments), "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-I", modules,
         "-I", cache, "-Xcc", f"-fmodule-map-file={CHECKOUT / 'Sources/CZlib/module.modulemap'}", "-module-cache-path",
         cache / "cache", "-module-name", folder.name.removeprefix("Linux"), *sorted(folder.glob("*.swift"))],
        capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_the_example_compiles(tmp_path):
    modules = BINARY.parent / "Modules"
    if not (modules / "RingfenceClient.swiftmodule").exists():
        pytest.skip("It needs the modules of a build.")
    swiftc(EXAMPLE / "LinuxCallKit", modules, tmp_path, "-emit-module", "-emit-module-path", tmp_path / "CallKit.swiftmodule")
    for folder in ["App", "Extension"]:
        swiftc(EXAMPLE / folder, modules, tmp_path, "-typecheck")


def code_blocks(article):
    return re.findall(r"^```swift\n(.*?)^```$", article.read_text(), re.MULTILINE | re.DOTALL)


def test_code_of_the_article_is_code_of_the_example():
    """Each block occurs in a file that the example compiles, so a snippet cannot be out of date."""
    sources = [file.read_text() for folder in ["App", "Extension"] for file in (EXAMPLE / folder).glob("*.swift")]
    article = CHECKOUT / "Sources/CallDirectory/CallDirectory.docc/FromAnEmptyAppToBlockedCalls.md"
    blocks = [block for block in code_blocks(article) if not block.startswith(".package(")]
    assert len(blocks) >= 8
    wrong = [block for block in blocks if not any(block in source for source in sources)]
    assert not wrong, wrong


def dependencies(package):
    dump = json.loads(subprocess.run(
        ["swift", "package", "dump-package"], cwd=package, capture_output=True, check=True).stdout)
    return {
        target["name"]: [next(iter(dependency.values()))[0] for dependency in target["dependencies"]]
        for target in dump["targets"]
    }


def test_the_manifest_of_the_kit_declares_the_targets_of_the_package():
    """Tests/Kit/Package.swift repeats some targets, so that their tests run without a build of the server."""
    package, kit = dependencies(CHECKOUT), dependencies(CHECKOUT / "Tests/Kit")
    assert {name: package.get(name) for name in kit} == kit
    assert {*KIT, *(f"{name}Tests" for name in KIT if f"{name}Tests" in package)} <= kit.keys()


def test_the_version_is_the_newest_of_the_changelog():
    source = (CHECKOUT / "Sources/PackCommands/PackTool.swift").read_text()
    changelog = (CHECKOUT / "CHANGELOG.md").read_text()
    newest = re.search(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$", changelog, re.MULTILINE)[1]
    assert f'ringfenceVersion = "{newest}"' in source
