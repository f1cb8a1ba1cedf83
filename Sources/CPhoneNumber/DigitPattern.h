#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// The regular expressions of libphonenumber's metadata, as far as they are about digits: \d, [2-57], (?:a|b), {3}, {4,7},
/// ?, + and *. All other expressions are refused.
namespace digits {

struct Node {
  enum Kind { kClass, kSequence, kChoice, kRepeat } kind;
  uint16_t mask = 0;  // kClass: bit d for the digit d
  int least = 0;
  int most = 0;  // kRepeat; -1 without end
  std::vector<std::unique_ptr<Node>> children;
};

/// Null for an expression that is not understood.
std::unique_ptr<Node> parse(const std::string &pattern);

/// Expressions side by side, each read from a text's begin. A state is a number; steps without a digit are in `free`.
struct Automaton {
  struct State {
    std::vector<int> free;
    uint16_t mask = 0;
    int next = -1;
    int accepts = -1;  // index of the expression that ends here
  };
  std::vector<State> states;
  std::vector<int> starts;

  /// Adds an expression; its end is a state that accepts `index`.
  void add(const Node &node, int index, bool isPrefix);

 private:
  int state();
  /// - Returns: the state behind the node.
  int build(const Node &node, int from);
};

}  // namespace digits
