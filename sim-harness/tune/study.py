"""A study as data: what is varied, what is asked for, what must not be broken."""

import hashlib
import json
import math
import statistics
import tomllib
from pathlib import Path


class Wrong(Exception):
    """What is one line on stderr, and exit code 2."""


def known(table, where, required, optional):
    if not isinstance(table, dict):
        raise Wrong(f"{where}: must be a table")
    for key in table:
        if key not in (*required, *optional):
            raise Wrong(
                f"{where}: {key}: no such key; there are {', '.join((*required, *optional))}"
            )
    for key in required:
        if key not in table:
            raise Wrong(f"{where}: needs {key}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_interval(pair):
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(map(is_number, pair))
        and pair[0] < pair[1]
    )


class Seeds:
    def __init__(self, table, where, optional=()):
        if not isinstance(table, dict):
            raise Wrong(f"{where}: must be {{ first = .., count = .. }}")
        known(table, where, ("count",), ("first", *optional))
        self.first, self.count = table.get("first", 1), table["count"]
        if not (isinstance(self.first, int) and self.first >= 0):
            raise Wrong(f"{where}.first = {self.first}: must be a whole number from 0")
        if not (isinstance(self.count, int) and self.count >= 1):
            raise Wrong(f"{where}.count = {self.count}: must be a whole number from 1")

    def __str__(self):
        return f"{self.first} to {self.first + self.count - 1}"

    def meets(self, other):
        return self.first < other.first + other.count and other.first < self.first + self.count


class Parameter:
    """What is varied: one key or several that get the same value."""

    def __init__(self, table, where):
        known(table, where, (), ("key", "keys", "name", "range", "integers", "values", "log"))
        self.keys = table.get("keys", [table["key"]] if "key" in table else [])
        if not self.keys or ("key" in table) == ("keys" in table):
            raise Wrong(f"{where}: needs key, or keys")
        self.name = table.get("name", self.keys[0])
        where = f"{where} ({self.name})"
        kinds = [kind for kind in ("range", "integers", "values") if kind in table]
        if len(kinds) != 1:
            raise Wrong(f"{where}: needs one of range, integers, values")
        self.kind, given = kinds[0], table[kinds[0]]
        self.log = table.get("log", False)
        if self.kind == "values":
            if not isinstance(given, list) or len(given) < 2:
                raise Wrong(f"{where}: values must be at least two")
            self.values = {as_plain(value): value for value in given}
            return
        if not is_interval(given) or (self.log and given[0] <= 0):
            raise Wrong(f"{where}: {self.kind} must be [from, to], ascending; above 0 with log")
        if self.kind == "integers" and not all(isinstance(end, int) for end in given):
            raise Wrong(f"{where}: integers must be whole numbers")
        self.low, self.high = given

    def plain(self, value, where):
        """A value to be tried, as the database holds it."""
        if self.kind == "values":
            fits = as_plain(value) in self.values
        else:
            fits = is_number(value) and self.low <= value <= self.high
            fits = fits and (self.kind == "range" or isinstance(value, int))
        if not fits:
            raise Wrong(f"{where}: {self.name} = {toml(value)}: is not among what is varied")
        return as_plain(value) if self.kind == "values" else value

    def suggest(self, trial):
        if self.kind == "values":
            return trial.suggest_categorical(self.name, list(self.values))
        if self.kind == "integers":
            return trial.suggest_int(self.name, self.low, self.high, log=self.log)
        return trial.suggest_float(self.name, float(self.low), float(self.high), log=self.log)

    def settings(self, value):
        value = self.values[value] if self.kind == "values" else value
        return [(key, value) for key in self.keys]


class Objective:
    """A figure's mean over seeds: small, large, or within an interval."""

    def __init__(self, table, where):
        known(table, where, ("figure",), ("goal", "target", "must"))
        self.figure, self.goal, self.target = (
            table["figure"],
            table.get("goal"),
            table.get("target"),
        )
        self.must = table.get("must", False)
        if ("goal" in table) == ("target" in table):
            raise Wrong(f"{where} ({self.figure}): needs goal, or target")
        if "goal" in table and self.goal not in ("minimise", "maximise"):
            raise Wrong(f"{where} ({self.figure}): goal must be minimise or maximise")
        if "target" in table and not is_interval(self.target):
            raise Wrong(f"{where} ({self.figure}): target must be [from, to], ascending")
        if self.must and not self.target:
            raise Wrong(f"{where} ({self.figure}): must is of targets alone")
        self.direction = "maximize" if self.goal == "maximise" else "minimize"
        self.words = f"{self.figure} ({self.goal})"
        if self.target:
            self.words = f"{self.figure} within {self.target[0]} to {self.target[1]}"

    def value(self, mean):
        if not self.target:
            return mean
        low, high = self.target
        return max(low - mean, mean - high, 0.0)


class Claim:
    """What a trial must not break, in the words of a scenario's claims."""

    def __init__(self, table, where):
        known(table, where, ("outcome",), ("says", "over", "at_least", "at_most"))
        self.figure, self.over = table["outcome"], table.get("over", "every-seed")
        self.low, self.high = table.get("at_least", -math.inf), table.get("at_most", math.inf)
        if self.over not in ("every-seed", "mean"):
            raise Wrong(f"{where} ({self.figure}): over must be every-seed or mean")
        if "at_least" not in table and "at_most" not in table:
            raise Wrong(f"{where} ({self.figure}): needs at_least or at_most")
        self.says = table.get("says", f"{self.figure} over {self.over}")

    def is_refuted(self, figures):
        """By the worst seed, or by the whole 95 % interval of the mean, as `verify` does it."""
        if any(figure is None for figure in figures):
            return True
        if self.over == "every-seed":
            return not all(self.low <= figure <= self.high for figure in figures)
        low, high = interval(figures)
        return high < self.low or low > self.high


class Study:
    def __init__(self, path):
        self.path = Path(path)
        try:
            table = tomllib.loads(self.path.read_text())
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
            raise Wrong(f"{path}: {e}") from None
        try:
            self.read(table)
        except Wrong as e:
            raise Wrong(f"{path}: {e}") from None
        except (AttributeError, TypeError) as e:
            raise Wrong(f"{path}: a value is of the wrong kind: {e}") from None

    def read(self, table):
        known(
            table,
            "the study",
            ("scenario", "trials", "seeds", "parameters", "objectives"),
            ("name", "seed", "startup", "set", "tries", "claims", "pruning", "check"),
        )
        self.name = table.get("name", self.path.stem)
        self.scenario = table["scenario"]
        if self.scenario.endswith(".toml"):
            self.scenario = str((self.path.parent / self.scenario).resolve())
        self.seed, self.trials = table.get("seed", 1), table["trials"]
        self.startup = table.get("startup", 10)
        for key in ("trials", "startup", "seed"):
            value = getattr(self, key)
            if not isinstance(value, int) or value < (key != "seed"):
                raise Wrong(f"{key} = {value}: must be a whole number from {int(key != 'seed')}")
        self.seeds = Seeds(table["seeds"], "seeds")
        check = table.get("check", {})
        if isinstance(check, dict):
            check = {"first": self.seeds.first + self.seeds.count, "count": 100, **check}
        self.check = Seeds(check, "check", ("best",))
        self.best = check.get("best", 5)
        if not (isinstance(self.best, int) and self.best >= 1):
            raise Wrong(f"check.best = {toml(self.best)}: must be a whole number from 1")
        if self.seeds.meets(self.check):
            raise Wrong(
                f"check: seeds {self.check} must be none of {self.seeds}, by which is chosen"
            )
        self.set = list(table.get("set", {}).items())
        each = lambda kind, make: [
            make(t, f"{kind}[{i}]") for i, t in enumerate(table.get(kind, []))
        ]
        self.parameters = each("parameters", Parameter)
        self.objectives = each("objectives", Objective)
        self.claims = each("claims", Claim)
        # What must be within its interval is no matter of more or less.
        self.goals = [objective for objective in self.objectives if not objective.must]
        self.musts = [objective for objective in self.objectives if objective.must]
        if not self.parameters or not self.goals:
            raise Wrong("needs at least one of parameters, and an objective that is no must")
        names = [parameter.name for parameter in self.parameters]
        keys = [key for parameter in self.parameters for key in parameter.keys]
        keys += [key for key, _ in self.set]
        for what in (names, keys):
            twice = {one for one in what if what.count(one) > 1}
            if twice:
                raise Wrong(f"{min(twice)}: is set twice")
        self.tries = table.get("tries", [])
        for i, tried in enumerate(self.tries):
            known(tried, f"tries[{i}]", names, ())
            self.tries[i] = {p.name: p.plain(tried[p.name], f"tries[{i}]") for p in self.parameters}
        pruning = table.get("pruning", {})
        known(pruning, "pruning", (), ("after", "median"))
        after, self.median = pruning.get("after", []), pruning.get("median", False)
        if any(
            not isinstance(n, int) or not 0 < n < self.seeds.count for n in after
        ) or after != sorted(set(after)):
            raise Wrong(f"pruning.after = {after}: must be ascending, from 1 to below seeds.count")
        if self.median and len(self.goals) > 1:
            raise Wrong(
                "pruning.median: needs a single objective: of several, no trial is the middle one"
            )
        self.stages = [*after, self.seeds.count]
        # Trials of one study answer one question. How many there are may change, and the check.
        same = {key: value for key, value in table.items() if key not in ("trials", "check")}
        self.fingerprint = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[
            :16
        ]

    def figures(self):
        """What tables show: every figure of objectives and claims, once."""
        return list(dict.fromkeys(one.figure for one in (*self.objectives, *self.claims)))


def as_plain(value):
    """A database holds numbers, words and truths; a table goes by its text."""
    return value if isinstance(value, (bool, int, float, str)) else toml(value)


def toml(value):
    """A value as TOML text on one line."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml(k)} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    # repr gives every digit of a float.
    if not isinstance(value, str):
        return repr(value)
    # JSON's strings are TOML's, but for its escapes of letters beyond 16 bits.
    letters = json.dumps(value, ensure_ascii=False)
    return "".join(c if " " <= c <= "~" else f"\\U{ord(c):08X}" for c in letters)


def interval(figures):
    """The 95 % confidence interval of a mean, by Student's t."""
    n, mean = len(figures), statistics.fmean(figures)
    if n < 2:
        return -math.inf, math.inf
    # Cornish and Fisher's expansion: within 0.3 % from four degrees of freedom on. Below, a table.
    z, v = 1.959963984540054, n - 1
    t = z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    t = {1: 12.706204736, 2: 4.30265273, 3: 3.182446305}.get(v, t)
    half = t * statistics.stdev(figures) / math.sqrt(n)
    return mean - half, mean + half


def shown(value):
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.4g}"
