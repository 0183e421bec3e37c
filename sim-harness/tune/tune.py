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
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import optuna
from optuna.trial import TrialState

import page
from storage import open_study
from study import Study, Wrong, interval, shown, toml

DONE = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)


class Refused(Exception):
    """Settings that the program refuses: the trial fails, the study goes on."""


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
    # Rows of another plan are refused: each plan has a folder of its own.
    rows = folder / f"rows-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    command = [program, "sweep", str(plan), "--out", str(rows), "--threads", str(threads)]
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
    with open(rows / "rows.csv", newline="") as file:
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
    found = open_study(study, url, worker)
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


def write_trials(study, trials, path):
    """Every trial, the same bytes for the same trials: no times, no names of hosts."""
    objectives = [goal.words for goal in study.goals]
    names = [parameter.name for parameter in study.parameters]
    figures = study.figures()
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                "trial",
                "state",
                "seeds",
                *names,
                *(f"mean of {f}" for f in figures),
                *objectives,
                "why",
            ]
        )
        for trial in trials:
            means = trial.user_attrs.get("means", {})
            row = [trial.number, trial.state.name.lower(), trial.user_attrs.get("seeds", 0)]
            row += [trial.params.get(name, "") for name in names]
            row += ["" if means.get(figure) is None else repr(means[figure]) for figure in figures]
            row += (
                [repr(value) for value in trial.values]
                if trial.state == TrialState.COMPLETE
                else [""] * len(objectives)
            )
            writer.writerow([*row, trial.user_attrs.get("why", "")])


def fits(study, trial):
    """Whether all that must be within its interval is, by the seeds of the search."""
    means = trial.user_attrs.get("means", {})
    return trial.state == TrialState.COMPLETE and all(
        m.value(means[m.figure]) == 0 for m in study.musts
    )


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
        rows.append(
            (f"trial {trial.number}", trial, sweep(study, settings, seeds, folder, threads))
        )
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
    (out / "page.html").write_text(page.page(study, found, trials, best, head, lines))
    print((out / "result.md").read_text(), end="")
    print(f"written: {out}/trials.csv, result.md, page.html")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("run", "report"))
    parser.add_argument("study", help="the study, a .toml file")
    parser.add_argument("--out", type=Path, help="where files go [default: beside the study]")
    parser.add_argument(
        "--storage", help="sqlite:///FILE or postgresql://USER@HOST/NAME [default: OUT/study.db]"
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=1,
        help="trials side by side; one gives the same trials every time",
    )
    parser.add_argument("--threads", type=int, default=1, help="worker threads of a trial")
    parser.add_argument(
        "--worker", help="a name that no other worker of the study has [default: HOST-0]"
    )
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
        return run(
            study,
            out,
            url,
            name,
            arguments.storage is None and not arguments.worker,
            arguments.threads,
        )
    # The tables are made once, before workers would make them at the same time.
    open_study(study, url)
    mine = [sys.executable, __file__, "run", arguments.study, "--out", str(out), "--storage", url]
    mine += ["--threads", str(arguments.threads)]
    workers = [
        subprocess.Popen([*mine, "--worker", f"{host}-{i}"]) for i in range(arguments.workers)
    ]
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
    except (Wrong, Refused) as e:
        print(f"tune.py: {' '.join(str(e).split())}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
