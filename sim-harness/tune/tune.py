#!/usr/bin/env python3
"""Searches a scenario's settings for what a study asks: docs/tuning.md says how.

    tune.py run STUDY.toml [--out FOLDER] [--storage URL] [--workers N] [--threads N]
    tune.py report STUDY.toml [--out FOLDER] [--storage URL] [--threads N]

`run` makes trials until the study has as many as it asks for. `report` runs the best of them with
fresh seeds and writes trials.csv, result.md and page.html. SIM_HARNESS is the program.
"""

import argparse
import csv
import fcntl
import hashlib
import json
import math
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy
import optuna
import sqlalchemy.exc
from optuna.storages import BaseStorage, RDBStorage, get_storage
from optuna.trial import TrialState

DONE = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)


class Wrong(Exception):
    """What is one line on stderr, and exit code 2."""


class Refused(Exception):
    """Settings that the program refuses: the trial fails, the study goes on."""


# The study, as data ---------------------------------------------------------------------------


def known(table, where, required, optional):
    for key in table:
        if key not in (*required, *optional):
            raise Wrong(f"{where}: {key}: no such key; there are {', '.join((*required, *optional))}")
    for key in required:
        if key not in table:
            raise Wrong(f"{where}: needs {key}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_interval(pair):
    return isinstance(pair, list) and len(pair) == 2 and all(map(is_number, pair)) and pair[0] < pair[1]


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
        self.figure, self.goal, self.target = table["figure"], table.get("goal"), table.get("target")
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
        check = table.get("check", {"first": self.seeds.first + self.seeds.count, "count": 100})
        self.check = Seeds(check, "check", ("best",))
        self.best = check.get("best", 5)
        if self.seeds.meets(self.check):
            raise Wrong(f"check: seeds {self.check} must be none of {self.seeds}, by which is chosen")
        self.set = list(table.get("set", {}).items())
        each = lambda kind, make: [make(t, f"{kind}[{i}]") for i, t in enumerate(table.get(kind, []))]
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
        if any(not isinstance(n, int) or not 0 < n < self.seeds.count for n in after) or after != sorted(set(after)):
            raise Wrong(f"pruning.after = {after}: must be ascending, from 1 to below seeds.count")
        if self.median and len(self.goals) > 1:
            raise Wrong("pruning.median: needs a single objective: of several, no trial is the middle one")
        self.stages = [*after, self.seeds.count]
        # Trials of one study answer one question. How many there are may change, and what is checked.
        same = {key: value for key, value in table.items() if key not in ("trials", "check")}
        self.fingerprint = hashlib.sha256(json.dumps(same, sort_keys=True).encode()).hexdigest()[:16]

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
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    # JSON's strings and numbers are TOML's; repr gives every digit of a float.
    return json.dumps(value) if isinstance(value, str) else repr(value)


def interval(figures):
    """The 95 % confidence interval of a mean, by Student's t."""
    n, mean = len(figures), statistics.fmean(figures)
    if n < 2:
        return -math.inf, math.inf
    # Cornish and Fisher's expansion: within 0.2 % from four degrees of freedom on.
    z, v = 1.959963984540054, n - 1
    t = z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    half = t * statistics.stdev(figures) / math.sqrt(n)
    return mean - half, mean + half


# Runs -----------------------------------------------------------------------------------------


def sweep(study, settings, seeds, folder, threads):
    """Runs one point with these seeds and returns its rows. Rows that are there are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"scenario = {toml(study.scenario)}"]
    lines.append(f"seeds = {{ first = {seeds[0]}, count = {len(seeds)} }}")
    for key, value in (*study.set, *settings):
        lines += ["[[parameters]]", f"key = {toml(key)}", f"values = [{toml(value)}]"]
    plan = folder / "plan.toml"
    text = "\n".join(lines) + "\n"
    if not plan.exists() or plan.read_text() != text:
        plan.write_text(text)
    program = os.environ.get("SIM_HARNESS", "sim-harness")
    command = [program, "sweep", str(plan), "--out", str(folder / "rows"), "--threads", str(threads)]
    while True:
        try:
            ended = subprocess.run(command, capture_output=True, text=True)
        except OSError as e:
            raise Wrong(f"{program}: {e.strerror}; SIM_HARNESS names the program") from None
        # Where a search was killed, its last sweep may still be at work there. It ends by itself.
        if ended.returncode != 2 or "is writing" not in ended.stderr:
            break
        time.sleep(0.5)
    if ended.returncode == 2:
        raise Refused(ended.stderr.strip())
    if ended.returncode != 0:
        raise Wrong(f"{program} ended in {ended.returncode}: {ended.stderr.strip()}")
    with open(folder / "rows" / "rows.csv", newline="") as file:
        return list(csv.DictReader(file))


def column(rows, figure):
    if rows and figure not in rows[0]:
        raise Wrong(f"{figure}: no such figure; docs/parameters.md names all")
    return [float(row[figure]) if row[figure] else None for row in rows]


def mean(figures):
    """As the program does it: null for some seeds, it is the mean of the others."""
    there = [figure for figure in figures if figure is not None]
    return statistics.fmean(there) if there else None


def evaluate(study, trial, folder, threads):
    """Runs a trial stage by stage. Returns its values, or None where it is pruned."""
    settings = []
    for parameter in study.parameters:
        settings += parameter.settings(parameter.suggest(trial))
    rows = []
    for stage in study.stages:
        first = study.seeds.first
        seeds = range(first + len(rows), first + stage)
        rows += sweep(study, settings, seeds, folder / str(stage), threads)
        means = {figure: mean(column(rows, figure)) for figure in study.figures()}
        trial.set_user_attr("seeds", len(rows))
        trial.set_user_attr("means", means)
        for claim in study.claims:
            if claim.is_refuted(column(rows, claim.figure)):
                trial.set_user_attr("why", f"refuted: {claim.says}")
                return None
        values = [means[objective.figure] for objective in study.objectives]
        if any(value is None for value in values):
            trial.set_user_attr("why", "a figure of an objective is null for all seeds")
            return None
        values = [goal.value(means[goal.figure]) for goal in study.goals]
        if study.median and stage != study.stages[-1]:
            trial.report(values[0], stage)
            if trial.should_prune():
                trial.set_user_attr("why", "worse than the median")
                return None
    for must in study.musts:
        trial.set_constraint(must.words, must.value(means[must.figure]))
    return values


# The study's memory ---------------------------------------------------------------------------

PATIENCE = 600.0


def patient(call):
    """Asks again while the database is away, as when its server is started again."""

    def with_patience(*args, **kwargs):
        from_then, pause, told = time.monotonic(), 0.25, False
        while True:
            try:
                return call(*args, **kwargs)
            except (sqlalchemy.exc.OperationalError, optuna.exceptions.StorageInternalError) as e:
                if time.monotonic() - from_then > PATIENCE:
                    reason = str(e.__cause__ or e).strip().splitlines()[0]
                    raise Wrong(f"the storage does not answer: {reason}") from None
                if not told:
                    print("the storage does not answer: asking again", flush=True)
                told = True
                time.sleep(pause)
                pause = min(2 * pause, 5.0)
            except optuna.exceptions.UpdateFinishedTrialError:
                # The answer to an earlier try was lost, not the try.
                if not told:
                    raise
                return True

    return with_patience


class Patient(BaseStorage):
    """A database that may be away for a while."""

    def __init__(self, inner):
        self.inner = inner


def _handed_on(name):
    return patient(lambda self, *args, **kwargs: getattr(self.inner, name)(*args, **kwargs))


for _name in sorted(BaseStorage.__abstractmethods__):
    setattr(Patient, _name, _handed_on(_name))
Patient.__abstractmethods__ = frozenset()


class Seeded(optuna.samplers.BaseSampler):
    """TPE whose draws depend on the study's seed and the trial's number alone, not on how often
    the search was stopped."""

    def __init__(self, study):
        self.study = study
        self.inner = self.of(0)

    def of(self, number):
        seed = int(numpy.random.SeedSequence([self.study.seed, number]).generate_state(1)[0])
        return optuna.samplers.TPESampler(seed=seed, n_startup_trials=self.study.startup, multivariate=True)

    def before_trial(self, study, trial):
        self.inner = self.of(trial.number)
        self.inner.before_trial(study, trial)

    def infer_relative_search_space(self, study, trial):
        return self.inner.infer_relative_search_space(study, trial)

    def sample_relative(self, study, trial, search_space):
        return self.inner.sample_relative(study, trial, search_space)

    def sample_independent(self, study, trial, name, distribution):
        return self.inner.sample_independent(study, trial, name, distribution)

    def after_trial(self, study, trial, state, values):
        self.inner.after_trial(study, trial, state, values)


def open_study(study, url):
    # A connection that the server has dropped is noticed before it is used.
    arguments = {"pool_pre_ping": True}
    if url.startswith("sqlite"):
        arguments["connect_args"] = {"timeout": 60}
    url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    try:
        storage = Patient(get_storage(RDBStorage(url, engine_kwargs=arguments)))
    except (sqlalchemy.exc.SQLAlchemyError, optuna.exceptions.StorageInternalError, ImportError) as e:
        raise Wrong(f"--storage: {str(e).strip().splitlines()[0]}") from None
    found = optuna.create_study(
        study_name=study.name,
        storage=storage,
        directions=[goal.direction for goal in study.goals],
        sampler=Seeded(study),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=study.startup)
        if study.median
        else optuna.pruners.NopPruner(),
        load_if_exists=True,
    )
    whose = found.user_attrs.get("fingerprint")
    if whose is None:
        found.set_user_attr("fingerprint", study.fingerprint)
        for tried in study.tries:
            found.enqueue_trial(tried)
    elif whose != study.fingerprint:
        raise Wrong(f"{study.path}: the trials of {study.name} are of another text of it: take another name")
    return found


def trials_of(found, states=None):
    return found.get_trials(deepcopy=False, states=states)


def run(study, out, url, worker, is_sole, threads):
    """One worker: trials one after the other until there are enough."""
    out.mkdir(parents=True, exist_ok=True)
    lock = open(out / f"worker-{worker}.lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Wrong(f"{out}: a worker {worker} is at work there") from None
    found = open_study(study, url)
    # What it had begun when it was killed, it goes on with.
    begun = [
        trial._trial_id
        for trial in trials_of(found, (TrialState.RUNNING,))
        if is_sole or trial.user_attrs.get("worker") == worker
    ]
    while True:
        if begun:
            trial = optuna.trial.Trial(found, begun.pop(0))
        elif len(trials_of(found, DONE)) >= study.trials:
            return
        else:
            trial = found.ask()
            trial.set_user_attr("worker", worker)
        folder = out / "trials" / str(trial.number)
        try:
            values = evaluate(study, trial, folder, threads)
        except Refused as e:
            trial.set_user_attr("why", str(e))
            found.tell(trial, state=TrialState.FAIL)
            print(f"trial {trial.number}: failed: {e}", flush=True)
        else:
            if values is None:
                found.tell(trial, state=TrialState.PRUNED)
            else:
                found.tell(trial, values)
            attributes = found._storage.get_trial(trial._trial_id).user_attrs
            means = ", ".join(f"{k} {shown(v)}" for k, v in attributes["means"].items())
            why = f"; {attributes['why']}" if values is None else ""
            print(f"trial {trial.number}: {means} ({attributes['seeds']} seeds){why}", flush=True)
        shutil.rmtree(folder, ignore_errors=True)


# What came of it ------------------------------------------------------------------------------


def shown(value):
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.4g}"


def write_trials(study, trials, path):
    """Every trial, the same bytes for the same trials: no times, no names of hosts."""
    objectives = [goal.words for goal in study.goals]
    names = [parameter.name for parameter in study.parameters]
    figures = study.figures()
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["trial", "state", "seeds", *names, *(f"mean of {f}" for f in figures), *objectives, "why"])
        for trial in trials:
            means = trial.user_attrs.get("means", {})
            row = [trial.number, trial.state.name.lower(), trial.user_attrs.get("seeds", 0)]
            row += [trial.params.get(name, "") for name in names]
            row += ["" if means.get(figure) is None else repr(means[figure]) for figure in figures]
            row += [repr(value) for value in trial.values] if trial.state == TrialState.COMPLETE else [""] * len(objectives)
            writer.writerow([*row, trial.user_attrs.get("why", "")])


def fits(study, trial):
    """Whether all that must be within its interval is, by the seeds of the search."""
    means = trial.user_attrs.get("means", {})
    return trial.state == TrialState.COMPLETE and all(m.value(means[m.figure]) == 0 for m in study.musts)


def unbeaten(study, trials):
    """Trials that no other beats in all goals, by the first goal; of a single goal, all in order.
    What does not fit counts only where nothing fits, and then the nearest come first."""
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    fitting = [trial for trial in complete if fits(study, trial)]
    sign = [-1 if goal.goal == "maximise" else 1 for goal in study.goals]
    losses = lambda trial: tuple(s * value for s, value in zip(sign, trial.values))
    if not fitting:
        far = lambda t: sum(must.value(t.user_attrs["means"][must.figure]) for must in study.musts)
        return sorted(complete, key=lambda trial: (far(trial), losses(trial), trial.number))
    beats = lambda a, b: a != b and all(x <= y for x, y in zip(a, b))
    if len(study.goals) > 1:
        fitting = [t for t in fitting if not any(beats(losses(o), losses(t)) for o in fitting)]
    return sorted(fitting, key=lambda trial: (losses(trial), trial.number))


def checked(study, trials, out, threads):
    """Rows of the table: the scenario as it is, then the best trials, with fresh seeds."""
    seeds = range(study.check.first, study.check.first + study.check.count)
    rows = [("as it is", None, sweep(study, [], seeds, out / "check" / "as-it-is", threads))]
    for trial in trials:
        settings = []
        for parameter in study.parameters:
            settings += parameter.settings(trial.params[parameter.name])
        folder = out / "check" / f"trial-{trial.number}"
        rows.append((f"trial {trial.number}", trial, sweep(study, settings, seeds, folder, threads)))
    return rows


def table(study, rows):
    """The head and the lines of the result, as text."""
    figures = study.figures()
    head = ["", *(parameter.name for parameter in study.parameters)]
    for figure in figures:
        head += [f"{figure}, seeds {study.seeds}", f"{figure}, fresh seeds {study.check}"]
    lines = []
    for name, trial, fresh in rows:
        line = [name, *(shown(trial.params[p.name]) if trial else "" for p in study.parameters)]
        for figure in figures:
            there = [value for value in column(fresh, figure) if value is not None]
            line.append(shown(trial.user_attrs["means"][figure]) if trial else "")
            if len(there) < 2:
                line.append("-")
            else:
                low, high = interval(there)
                line.append(f"{shown(mean(there))} ({shown(low)} to {shown(high)})")
        lines.append(line)
    return head, lines


def report(study, out, url, threads):
    found = open_study(study, url)
    trials = sorted(trials_of(found), key=lambda trial: trial.number)
    trials = [trial for trial in trials if trial.state in DONE]
    out.mkdir(parents=True, exist_ok=True)
    write_trials(study, trials, out / "trials.csv")
    if not any(trial.state == TrialState.COMPLETE for trial in trials):
        raise Wrong(f"{study.name}: no trial is complete; {out / 'trials.csv'} says why")
    best = unbeaten(study, trials)[: study.best]
    head, lines = table(study, checked(study, best, out, threads))
    rules = "|" + "---|" * len(head)
    cells = lambda line: "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
    (out / "result.md").write_text("\n".join([cells(head), rules, *map(cells, lines)]) + "\n")
    import page

    (out / "page.html").write_text(page.page(study, found, trials, best, head, lines))
    print((out / "result.md").read_text(), end="")
    print(f"written: {out}/trials.csv, result.md, page.html")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "report"))
    parser.add_argument("study", help="the study, a .toml file")
    parser.add_argument("--out", type=Path, help="where files go [default: beside the study]")
    parser.add_argument("--storage", help="sqlite:///FILE or postgresql://USER@HOST/NAME [default: OUT/study.db]")
    parser.add_argument("--workers", type=int, default=1, help="trials side by side; one gives the same trials every time")
    parser.add_argument("--threads", type=int, default=1, help="worker threads of a trial")
    parser.add_argument("--worker", help="a name that no other worker of the study has [default: HOST-0]")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = Study(arguments.study)
    out = arguments.out or study.path.with_suffix("")
    out.mkdir(parents=True, exist_ok=True)
    url = arguments.storage or f"sqlite:///{out.resolve()}/study.db"
    if arguments.command == "report":
        return report(study, out, url, arguments.threads)
    host = arguments.worker or socket.gethostname()
    if arguments.workers <= 1:
        name = arguments.worker or f"{host}-0"
        return run(study, out, url, name, arguments.storage is None and not arguments.worker, arguments.threads)
    # The tables are made once, before workers would make them at the same time.
    open_study(study, url)
    mine = [sys.executable, __file__, "run", arguments.study, "--out", str(out), "--storage", url]
    mine += ["--threads", str(arguments.threads)]
    workers = [subprocess.Popen([*mine, "--worker", f"{host}-{i}"]) for i in range(arguments.workers)]
    try:
        codes = [worker.wait() for worker in workers]
    except BaseException:
        for worker in workers:
            worker.terminate()
        raise
    if any(codes):
        raise Wrong(f"a worker ended in {next(code for code in codes if code)}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        main()
    except Wrong as e:
        print(f"tune.py: {' '.join(str(e).split())}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
