"""Shapes of SQL that Citus refuses, found in the syntax tree of a statement.

Citus was tried with a coordinator and two workers (Documentation/decisions/0017-cluster-contract.md). Each rule is a
shape that it refused there. A statement that names its numbers, so that one shard answers it, may have most of them.
"""

from pglast import ast, enums, parse_sql

DISTRIBUTED, REFERENCE, LOCAL = "distributed", "reference", "local"

RULES = {
    "several-commands": "More than one command in one execution. Send each command alone.",
    "analyze-several": "ANALYZE of several tables in one command. Analyze one table a command.",
    "correlated-group": "A correlated sub-select over a distributed table has an aggregate, DISTINCT or GROUP BY "
    "without the number. Join one sub-select that groups by number, or join and group.",
    "correlated-limit": "A correlated sub-select over a distributed table has LIMIT or OFFSET. Use "
    "row_number() OVER (PARTITION BY number …) in one sub-select.",
    "correlated-window": "A correlated sub-select over a distributed table has a window without the number. Partition "
    "it by number.",
    "outer-join-of-function": "The outer side of an outer join is a function, a list of values or a CTE, and the other "
    "side a distributed table. Let a union of the numbers of distributed tables drive it: number = ANY($1).",
    "outer-join-of-limit": "The outer side of an outer join is a sub-select with LIMIT or OFFSET over a distributed table, and "
    "the other side a distributed table, which Citus then sends to the coordinator completely. Join before LIMIT, or select "
    "from the other table with number = ANY($1) in a statement of its own.",
    "several-shards": "One distributed table is restricted to a number and another one is not, so every shard has to answer. "
    "Restrict each to the number, or make the other a reference table.",
    "correlated-function": "A sub-select over a distributed table depends on rows of a function, a list of values or a "
    "CTE. Join the table, or select from it with number = ANY($1).",
    "correlated-union": "A sub-select over a distributed table depends on rows of a union that reads another table than distributed "
    "ones. Compare with the number itself: number = $1.",
    "correlated-reference": "A sub-select of reference tables within a statement of several shards has a sub-select of its own. "
    "Join instead.",
    "returning-parameter": "RETURNING of an INSERT from a function or a list of values has a parameter, whose shards then lose the "
    "types of the others. Return the column, and compare in the program.",
    "cte-columns": "A CTE over a set operation has a list of columns. Name the columns in its first branch.",
    "generic-plan": "A generic plan is forced where Citus plans. Keep 'auto' on a cluster.",
    "catalog-join": "A catalog is read together with a distributed or reference table. Ask two questions.",
    "temporary-join": "A temporary table is used together with a distributed table. Send arrays as parameters.",
    "local-join": "A local table is read together with a distributed table. Ask two questions.",
    "key-without-number": "The conflict target of a distributed table is not a key with the number.",
    "reference-change": "A distributed and a reference table are changed in one command. Send two commands.",
}

AGGREGATES = set(
    "count sum min max avg array_agg string_agg jsonb_agg json_agg jsonb_object_agg bool_and bool_or every bit_or "
    "bit_and mode percentile_cont percentile_disc".split()
)
FROM_ITEMS = (ast.RangeFunction, ast.RangeVar, ast.RangeSubselect)


def children(node):
    for name in node:
        value = getattr(node, name)
        yield from (item for item in (value if isinstance(value, tuple) else (value,)) if isinstance(item, ast.Node))


def walk(node):
    yield node
    for child in children(node):
        yield from walk(child)


def flattened(items):
    for item in items or ():
        yield from flattened(item) if isinstance(item, tuple) else (item,)


def column(node):
    """The parts of a column's name."""
    while isinstance(node, ast.TypeCast):
        node = node.arg
    if isinstance(node, ast.ColumnRef) and all(isinstance(part, ast.String) for part in node.fields):
        return tuple(part.sval for part in node.fields)
    return ()


def is_constant(node):
    """Whether an expression has the same value for all rows."""
    return not any(isinstance(part, (ast.ColumnRef, ast.SubLink)) for part in walk(node))


def is_equality(node):
    return isinstance(node, ast.A_Expr) and node.kind == enums.A_Expr_Kind.AEXPR_OP and node.name[-1].sval == "=" \
        and node.lexpr is not None


def conjuncts(node):
    """The conditions that AND connects."""
    if isinstance(node, ast.BoolExpr) and node.boolop == enums.BoolExprType.AND_EXPR:
        for part in node.args:
            yield from conjuncts(part)
    elif node is not None:
        yield node


class Statement:
    """The findings about one command."""

    def __init__(self, node, placements):
        self.node = node
        self.placements = placements
        self.found = []
        self.ctes = {cte.ctename: cte for cte in walk(node) if isinstance(cte, ast.CommonTableExpr)}
        self.tables = [table for table in walk(node) if isinstance(table, ast.RangeVar) and not self.is_cte(table)]
        self.check()

    def is_cte(self, table):
        return table.schemaname is None and table.relname in self.ctes

    def placement(self, table):
        """The placement of a table, `catalog`, or `temporary` for a table that no migration creates."""
        if table.relname.startswith("pg_") or table.schemaname in ("pg_catalog", "information_schema"):
            return "catalog"
        return self.placements.get(table.relname, "temporary")

    def is_distributed_table(self, node):
        return isinstance(node, ast.RangeVar) and not self.is_cte(node) and self.placement(node) == DISTRIBUTED

    def is_distributed(self, node):
        """Whether a part of the command reads a distributed table outside of CTEs, which Citus plans on their own."""
        return any(self.is_distributed_table(part) for part in walk(node))

    def add(self, rule):
        if rule not in self.found:
            self.found.append(rule)

    def shards(self):
        """The restrictions of the distributed tables to a number: whether some have one that a parameter gives, and whether
        all have the same one.

        Only conditions that hold for every row count: comparisons of `number` with a constant, or with the `number` of
        another table, that AND connects.
        """
        groups = {}

        def root(name):
            while groups.setdefault(name, name) != name:
                name = groups[name]
            return name

        tables, own, parents = [], {}, level_parents(self.node)
        for level in levels(self.node):
            own[id(level)] = [(id(level), name_of(item)) for item in sources(level) if self.is_distributed_table(item)]
            tables += own[id(level)]
            if isinstance(level, ast.InsertStmt) and self.placement(level.relation) == DISTRIBUTED:
                if any(isinstance(part, FROM_ITEMS) for part in walk(level.selectStmt)):
                    return False, False

        def owners(node, level):
            """The tables that a column `number` belongs to; the value of a constant."""
            if is_constant(node):
                return [repr(node)]
            parts = column(node)
            if not parts or parts[-1] != "number":
                return []
            while level is not None:
                if len(parts) == 1 and own[id(level)]:
                    return own[id(level)]
                if len(parts) > 1 and parts[-2] in [name_of(item) for item in sources(level)]:
                    return [(id(level), parts[-2])]
                level = parents.get(id(level))
            return []

        for level in levels(self.node):
            for condition in conditions(level):
                if isinstance(condition, ast.JoinExpr):
                    pairs = [(one, own[id(level)][0]) for one in own[id(level)]]
                elif is_equality(condition):
                    right = owners(condition.rexpr, level)
                    pairs = [(one, other) for one in owners(condition.lexpr, level) for other in right]
                else:
                    continue
                for one, other in pairs:
                    groups[root(one)] = root(other)
        roots = {root(name) for name in tables}
        is_named = any(isinstance(name, str) and root(name) in roots for name in list(groups))
        return is_named, is_named and len(roots) == 1

    # Rules

    def check(self):
        node = self.node
        if isinstance(node, ast.VacuumStmt) and len(node.rels or ()) != 1:
            self.add("analyze-several")
        for part in walk(node):
            if isinstance(part, ast.A_Const) and isinstance(part.val, ast.String):
                if part.val.sval == "force_generic_plan" and not any(isinstance(p, ast.CaseExpr) for p in walk(node)):
                    self.add("generic-plan")
            if isinstance(part, ast.VariableSetStmt) and part.name == "plan_cache_mode":
                self.add("generic-plan")
        if not isinstance(node, (ast.SelectStmt, ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt, ast.CopyStmt)):
            return
        kinds = {self.placement(table) for table in self.tables}
        targets = [p.relation for p in walk(node) if isinstance(p, (ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt))]
        if "catalog" in kinds and kinds & {DISTRIBUTED, REFERENCE}:
            self.add("catalog-join")
        if "temporary" in kinds and DISTRIBUTED in kinds:
            self.add("temporary-join")
        if DISTRIBUTED in kinds:
            inserted = {id(part.relation) for part in walk(node) if isinstance(part, ast.InsertStmt)}
            if any(self.placement(t) == LOCAL and id(t) not in inserted for t in self.tables):
                self.add("local-join")
        changed = {self.placement(target) for target in targets}
        if {DISTRIBUTED, REFERENCE} <= changed:
            self.add("reference-change")
        for part in walk(node):
            if isinstance(part, ast.InsertStmt) and part.onConflictClause and self.placement(part.relation) == DISTRIBUTED:
                infer = part.onConflictClause.infer
                if infer is None or not any(element.name == "number" for element in infer.indexElems or ()):
                    self.add("key-without-number")
            if isinstance(part, ast.InsertStmt) and self.placement(part.relation) == DISTRIBUTED and part.returningClause:
                rows = part.selectStmt is not None and any(isinstance(item, ast.RangeFunction) for item in walk(part.selectStmt))
                if rows and any(isinstance(item, ast.ParamRef) for item in walk(part.returningClause)):
                    self.add("returning-parameter")
            if isinstance(part, ast.CommonTableExpr) and part.aliascolnames and DISTRIBUTED in kinds:
                if isinstance(part.ctequery, ast.SelectStmt) and part.ctequery.op != enums.SetOperation.SETOP_NONE:
                    self.add("cte-columns")
        for level in levels(node):
            unions = {name_of(item) for item in sources(level) if self.is_mixed_union(item)}
            if any(self.is_distributed(inner) and refers(inner, unions) for inner, _ in nested(level)):
                self.add("correlated-union")
        is_named, is_of_one_shard = self.shards()
        if DISTRIBUTED not in kinds or is_of_one_shard:
            return
        if is_named:
            self.add("several-shards")
        for level in levels(node):
            self.check_level(level)

    def check_level(self, level):
        for join in own_nodes(level):
            if not isinstance(join, ast.JoinExpr):
                continue
            outer = {
                enums.JoinType.JOIN_LEFT: (join.larg, join.rarg), enums.JoinType.JOIN_RIGHT: (join.rarg, join.larg),
            }.get(join.jointype)
            sides = [outer] if outer else []
            if join.jointype == enums.JoinType.JOIN_FULL:
                sides = [(join.larg, join.rarg), (join.rarg, join.larg)]
            for outside, inside in sides:
                if not self.is_distributed(outside) and self.is_distributed(inside):
                    self.add("outer-join-of-function")
                if self.is_distributed(inside) and any(self.is_limited(item) for item in walk(outside)):
                    self.add("outer-join-of-limit")
        for inner, is_derived in nested(level):
            if not is_derived and inner.fromClause and not any(self.is_distributed(item) for item in sources(inner)):
                tables = [item for item in sources(inner) if isinstance(item, ast.RangeVar) and not self.is_cte(item)]
                if tables and any(isinstance(part, ast.SubLink) for part in own_nodes(inner)):
                    self.add("correlated-reference")
        names = {name_of(item) for item in sources(level)}
        has_distributed = any(self.is_distributed(item) for item in sources(level) if not is_lateral(item))
        for inner, is_derived in nested(level):
            if not self.is_distributed(inner) or not refers(inner, names):
                continue
            if not has_distributed and not is_derived:
                self.add("correlated-function")
            self.check_correlated(inner)

    def is_mixed_union(self, item):
        """Whether an item is a union with a branch that reads no distributed table in its FROM."""
        if not isinstance(item, ast.RangeSubselect) or item.subquery.op == enums.SetOperation.SETOP_NONE:
            return False
        branches = [level for level in levels(item.subquery) if level.op == enums.SetOperation.SETOP_NONE and level.fromClause]
        return any(not any(self.is_distributed(part) for part in sources(level)) for level in branches)

    def is_limited(self, item):
        """Whether an item is a sub-select whose rows Citus collects before it joins them."""
        if not isinstance(item, ast.RangeSubselect) or not self.is_distributed(item.subquery):
            return False
        return item.subquery.limitCount is not None or item.subquery.limitOffset is not None

    def check_correlated(self, query):
        if query.limitCount is not None or query.limitOffset is not None:
            self.add("correlated-limit")
        own = list(own_nodes(query))
        grouped = [column(item) for item in flattened(query.groupClause)]
        if grouped and not any(parts and parts[-1] == "number" for parts in grouped):
            self.add("correlated-group")
        if not grouped and any(is_aggregate(part) for part in own):
            self.add("correlated-group")
        if query.distinctClause:
            self.add("correlated-group")
        for part in own:
            if isinstance(part, ast.FuncCall) and part.over is not None:
                parts = [column(item) for item in part.over.partitionClause or ()]
                if not any(item and item[-1] == "number" for item in parts):
                    self.add("correlated-window")


def is_query(node):
    return isinstance(node, (ast.SelectStmt, ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt))


def levels(node):
    """All queries of a command; the branches of a set operation are queries of their own."""
    return [part for part in walk(node) if is_query(part)]


def level_parents(node, parent=None, found=None):
    """The query around each query."""
    found = {} if found is None else found
    if is_query(node):
        found[id(node)] = parent
        parent = node
    for child in children(node):
        level_parents(child, parent, found)
    return found


def own_nodes(level):
    """The nodes of a query without the nodes of queries inside it."""
    for child in children(level):
        if not is_query(child):
            yield from _own(child)


def _own(node):
    yield node
    for child in children(node):
        if not is_query(child):
            yield from _own(child)


def sources(level):
    """The items that a query reads: its FROM, or the table that it changes and those joined with it."""
    roots = []
    if isinstance(level, ast.SelectStmt):
        roots = list(level.fromClause or ())
    elif isinstance(level, ast.UpdateStmt):
        roots = [level.relation, *(level.fromClause or ())]
    elif isinstance(level, ast.DeleteStmt):
        roots = [level.relation, *(level.usingClause or ())]
    while roots:
        item = roots.pop(0)
        if isinstance(item, ast.JoinExpr):
            roots[:0] = [item.larg, item.rarg]
        else:
            yield item


def conditions(level):
    """The conditions of a query's WHERE and of its joins; a join itself where it is USING the number."""
    yield from conjuncts(getattr(level, "whereClause", None))
    for part in own_nodes(level):
        if isinstance(part, ast.JoinExpr):
            yield from conjuncts(part.quals)
            if any(name.sval == "number" for name in part.usingClause or ()):
                yield part


def name_of(item):
    alias = getattr(item, "alias", None)
    return alias.aliasname if alias is not None else getattr(item, "relname", None)


def is_lateral(item):
    return isinstance(item, ast.RangeSubselect) and item.lateral


def nested(level):
    """Sub-selects of a query that may refer to its rows, each with whether it is in FROM."""
    for part in own_nodes(level):
        if isinstance(part, ast.SubLink) and isinstance(part.subselect, ast.SelectStmt):
            yield part.subselect, False
        if is_lateral(part):
            yield part.subquery, True


def refers(query, names):
    """Whether a sub-select names a column of a source around it."""
    own = {name_of(item) for level in levels(query) for item in sources(level)}
    for part in walk(query):
        parts = column(part) if isinstance(part, ast.ColumnRef) else ()
        if len(parts) > 1 and parts[-2] in names and parts[-2] not in own:
            return True
    return False


def is_aggregate(node):
    return isinstance(node, ast.FuncCall) and node.over is None and node.funcname[-1].sval in AGGREGATES


def is_of_one_shard(sql, placements):
    """Whether each command of a text reads no distributed table, or all of them for one number."""
    found = [Statement(command.stmt, placements) for command in parse_sql(sql)]
    return all(one.shards()[1] or not one.is_distributed(one.node) for one in found)


def violations(sql, placements):
    """Names of the rules that a text violates."""
    commands = parse_sql(sql)
    found = ["several-commands"] if len(commands) > 1 else []
    for command in commands:
        node = command.stmt
        if isinstance(node, ast.CopyStmt) and node.query is not None:
            node = node.query
        found += [rule for rule in Statement(node, placements).found if rule not in found]
    return found
