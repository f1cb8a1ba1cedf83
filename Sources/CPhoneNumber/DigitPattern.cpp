#include "DigitPattern.h"

namespace digits {
namespace {

constexpr uint16_t kAll = 0x3FF;

struct Parser {
  const std::string &text;
  size_t at = 0;
  bool failed = false;

  bool has(char c) const { return at < text.size() && text[at] == c; }

  std::unique_ptr<Node> fail() {
    failed = true;
    return std::make_unique<Node>(Node{Node::kSequence});
  }

  std::unique_ptr<Node> choice() {
    auto node = std::make_unique<Node>(Node{Node::kChoice});
    node->children.push_back(sequence());
    while (!failed && has('|')) {
      ++at;
      node->children.push_back(sequence());
    }
    return node;
  }

  std::unique_ptr<Node> sequence() {
    auto node = std::make_unique<Node>(Node{Node::kSequence});
    while (!failed && at < text.size() && text[at] != '|' && text[at] != ')') node->children.push_back(repeated());
    return node;
  }

  std::unique_ptr<Node> repeated() {
    auto node = atom();
    if (failed || at >= text.size()) return node;
    int least, most;
    switch (text[at]) {
      case '?': least = 0, most = 1, ++at; break;
      case '*': least = 0, most = -1, ++at; break;
      case '+': least = 1, most = -1, ++at; break;
      case '{':
        ++at;
        least = number();
        most = least;
        if (has(',')) {
          ++at;
          most = has('}') ? -1 : number();
        }
        if (failed || !has('}') || least > 20 || most > 20 || (most >= 0 && most < least)) return fail();
        ++at;
        break;
      default: return node;
    }
    // Lazy and possessive forms would want a reader of their own.
    if (has('?') || has('+') || has('*') || has('{')) return fail();
    auto repeat = std::make_unique<Node>(Node{Node::kRepeat});
    repeat->least = least;
    repeat->most = most;
    repeat->children.push_back(std::move(node));
    return repeat;
  }

  int number() {
    int value = 0;
    size_t start = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at - start < 3) value = value * 10 + (text[at++] - '0');
    if (at == start) failed = true;
    return value;
  }

  std::unique_ptr<Node> atom() {
    if (has('(')) {
      ++at;
      if (has('?')) {
        if (text.compare(at, 2, "?:") != 0) return fail();
        at += 2;
      }
      auto node = choice();
      if (failed || !has(')')) return fail();
      ++at;
      return node;
    }
    auto node = std::make_unique<Node>(Node{Node::kClass});
    if (has('[')) {
      ++at;
      while (at < text.size() && text[at] != ']') {
        const uint16_t first = one();
        if (failed) return node;
        if (has('-') && at + 1 < text.size() && text[at + 1] != ']') {
          ++at;
          const uint16_t last = one();
          if (failed || first == kAll || last == kAll || last < first) return fail();
          for (uint16_t bit = first; bit <= last; bit <<= 1) node->mask |= bit;
        } else {
          node->mask |= first;
        }
      }
      if (!has(']') || node->mask == 0) return fail();
      ++at;
    } else {
      node->mask = one();
    }
    return node;
  }

  /// A digit, or \d.
  uint16_t one() {
    if (at < text.size() && text[at] >= '0' && text[at] <= '9') return static_cast<uint16_t>(1 << (text[at++] - '0'));
    if (text.compare(at, 2, "\\d") == 0) {
      at += 2;
      return kAll;
    }
    failed = true;
    return 0;
  }
};

}  // namespace

std::unique_ptr<Node> parse(const std::string &pattern) {
  Parser parser{pattern};
  auto node = parser.choice();
  if (parser.failed || parser.at != pattern.size()) return nullptr;
  return node;
}

int Automaton::state() {
  states.emplace_back();
  return static_cast<int>(states.size()) - 1;
}

void Automaton::add(const Node &node, int index, bool isPrefix) {
  const int start = state();
  starts.push_back(start);
  const int end = build(node, start);
  states[end].accepts = index;
  if (!isPrefix) return;
  // Whatever follows, it stays accepted.
  states[end].mask = kAll;
  states[end].next = end;
}

int Automaton::build(const Node &node, int from) {
  switch (node.kind) {
    case Node::kClass: {
      const int begin = state(), end = state();
      states[from].free.push_back(begin);
      states[begin].mask = node.mask;
      states[begin].next = end;
      return end;
    }
    case Node::kSequence: {
      int at = from;
      for (const auto &child : node.children) at = build(*child, at);
      // A state of its own, so that nothing is added behind a state that others share.
      const int end = state();
      states[at].free.push_back(end);
      return end;
    }
    case Node::kChoice: {
      const int end = state();
      for (const auto &child : node.children) {
        const int begin = state();
        states[from].free.push_back(begin);
        const int last = build(*child, begin);
        states[last].free.push_back(end);
      }
      return end;
    }
    case Node::kRepeat: {
      int at = from;
      for (int i = 0; i < node.least; ++i) at = build(*node.children[0], at);
      const int end = state();
      states[at].free.push_back(end);
      if (node.most < 0) {
        const int loop = state();
        states[at].free.push_back(loop);
        const int last = build(*node.children[0], loop);
        states[last].free.push_back(loop);
        states[last].free.push_back(end);
      }
      for (int i = node.least; i < node.most; ++i) {
        at = build(*node.children[0], at);
        states[at].free.push_back(end);
      }
      return end;
    }
  }
  return from;
}

}  // namespace digits
