"""A study's page: one HTML file that needs no network. Plots are SVG by matplotlib, 300 KB in all;
plotly's script alone would be 4.8 MB."""

import html
import io
import warnings

import matplotlib
import optuna

matplotlib.use("svg")
# That it takes small values for good ones, or cannot tell the best from all.
warnings.filterwarnings("ignore", message="PedAnova|Target and region")
from matplotlib import pyplot  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

# The same bytes for the same trials; text stays text.
matplotlib.rcParams.update({
    "svg.hashsalt": "namiji", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
})  # fmt: skip
BLUE, GREY, RED, GREEN = "#2b6cb0", "#9aa5b1", "#c53030", "#48bb78"
STATES = ((TrialState.PRUNED, GREY, "pruned"), (TrialState.COMPLETE, BLUE, "complete"))


def of(objective):
    """What a trial's mean of its figure is."""
    return lambda trial: trial.user_attrs.get("means", {}).get(objective.figure)


def scatter(axis, trials, state, x, y, colour, word):
    there = [t for t in trials if t.state == state and x(t) is not None and y(t) is not None]
    axis.scatter([x(t) for t in there], [y(t) for t in there], s=13, color=colour, label=word)


def svg(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    pyplot.close(figure)
    text = out.getvalue()
    return text[text.index("<svg") :]


def history(study, trials, best):
    """Every trial's figures, in the order in which the trials were begun."""
    many = len(study.objectives)
    figure, axes = pyplot.subplots(1, many, figsize=(4.6 * many, 2.8), squeeze=False)
    chosen = [trial for trial in trials if trial.number in {t.number for t in best}]
    for axis, objective in zip(axes[0], study.objectives):
        for state, colour, word in STATES:
            scatter(axis, trials, state, lambda t: t.number, of(objective), colour, word)
        axis.scatter([t.number for t in chosen], [of(objective)(t) for t in chosen], s=40,
                     facecolor="none", edgecolor=RED, label="the best", zorder=4)  # fmt: skip
        if objective.target:
            axis.axhspan(*objective.target, color=GREEN, alpha=0.15, linewidth=0)
        axis.set(xlabel="trial", ylabel=f"mean of {objective.figure}")
    axes[0][0].legend(fontsize=8)
    figure.tight_layout()
    return svg(figure)


def importance(study, found):
    """How much each parameter says about each goal, by PED-ANOVA."""
    many = len(study.goals)
    size = (5.6 * many, 0.8 + 0.32 * len(study.parameters))
    figure, axes = pyplot.subplots(1, many, figsize=size, squeeze=False)
    for i, (axis, goal) in enumerate(zip(axes[0], study.goals)):
        # It tells what makes values small.
        sign = -1 if goal.goal == "maximise" else 1
        target = lambda trial, i=i, sign=sign: sign * trial.values[i]
        try:
            parts = optuna.importance.get_param_importances(found, target=target)
        except (ValueError, RuntimeError):
            # Too few trials, or all the same.
            parts = {}
        names = [parameter.name for parameter in study.parameters][::-1]
        axis.barh(names, [parts.get(name, 0.0) for name in names], color=BLUE)
        axis.set(xlabel=f"importance for {goal.words}", xlim=(0, 1))
        axis.grid(axis="y", visible=False)
    figure.tight_layout()
    return svg(figure)


def against(study, trials, best):
    """The first two figures against each other; with two goals the red line is the Pareto front."""
    figure, axis = pyplot.subplots(figsize=(5.6, 3.8))
    x, y = study.objectives[:2]
    for state, colour, word in STATES:
        scatter(axis, trials, state, of(x), of(y), colour, word)
    line = {"color": RED, "markerfacecolor": "none", "linewidth": 1, "label": "the best"}
    join = "o-" if len(study.goals) > 1 else "o"
    axis.plot([of(x)(t) for t in best], [of(y)(t) for t in best], join, **line)
    # Numbers of neighbours keep apart.
    beside = ((-20, 6), (2, 10), (8, -8), (-20, -12))
    for i, trial in enumerate(best):
        axis.annotate(
            str(trial.number),
            (of(x)(trial), of(y)(trial)),
            xytext=beside[i % 4],
            textcoords="offset points",
            fontsize=8,
            color=RED,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.5},
        )
    if x.target:
        axis.axvspan(*x.target, color=GREEN, alpha=0.15, linewidth=0)
    if y.target:
        axis.axhspan(*y.target, color=GREEN, alpha=0.15, linewidth=0)
    axis.set(xlabel=f"mean of {x.figure}", ylabel=f"mean of {y.figure}")
    axis.legend(fontsize=8)
    return svg(figure)


def slices(study, trials):
    """The mean of each figure over each parameter."""
    figures = list({objective.figure: objective for objective in study.objectives}.values())
    across, down = len(study.parameters), len(figures)
    size = (2.2 * across, 2.1 * down)
    figure, axes = pyplot.subplots(down, across, figsize=size, sharey="row", squeeze=False)
    for row, objective in enumerate(figures):
        for place, parameter in enumerate(study.parameters):
            axis = axes[row][place]
            at = lambda t, p=parameter: t.params[p.name]
            if parameter.kind == "values":
                # All of them in the study's order, though some may have no trial.
                words = list(parameter.values)
                at = lambda t, p=parameter, words=words: words.index(t.params[p.name])
                axis.set_xticks(range(len(words)), [str(word)[:16] for word in words])
                axis.set_xlim(-0.5, len(words) - 0.5)
            for state, colour, word in STATES:
                scatter(axis, trials, state, at, of(objective), colour, word)
            if objective.target:
                axis.axhspan(*objective.target, color=GREEN, alpha=0.15, linewidth=0)
            if parameter.log:
                axis.set_xscale("log")
            if row == down - 1:
                axis.set_xlabel(parameter.name)
            if place == 0:
                axis.set_ylabel(f"mean of {objective.figure}")
    figure.tight_layout()
    return svg(figure)


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1a202c; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0.2rem; }
h2 { margin: 2.2rem 0 0.4rem; font-size: 1.15rem; }
p { max-width: 46rem; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #cbd5e0; padding: 4px 10px 4px 0; text-align: left; }
th, td { vertical-align: top; }
td:first-child { white-space: nowrap; }
svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
"""


def page(study, found, trials, best, head, lines):
    text = html.escape
    count = lambda state: sum(trial.state == state for trial in trials)

    def row(kind, cells):
        return "<tr>" + "".join(f"<{kind}>{text(cell)}</{kind}>" for cell in cells) + "</tr>"

    asked = "; ".join(("must: " if o.must else "") + o.words for o in study.objectives)
    scenario = study.scenario.split("/")[-1]
    parts = [
        f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{text(study.name)}</title><style>{STYLE}</style>
<h1>{text(study.name)}</h1>
<p>Scenario <b>{text(scenario)}</b>. Asked for: {text(asked)}. {len(trials)} trials with seeds
{study.seeds}: {count(TrialState.COMPLETE)} complete, {count(TrialState.PRUNED)} pruned,
{count(TrialState.FAIL)} failed. Optuna {optuna.__version__}, TPE, seed {study.seed}.</p>
<h2>The best, with fresh seeds</h2>
<p>No choice depended on seeds {study.check}. Behind a mean stands its 95 % confidence interval.
The best of many trials are partly lucky with the seeds by which they were chosen; fresh seeds show
how much.</p>
<div class="wide"><table>{row("th", head)}{"".join(row("td", line) for line in lines)}</table></div>
"""
    ]
    if len(study.objectives) > 1:
        parts.append(f"""<h2>One figure against another</h2>
<p>Grey: pruned, by the seeds that they had. Blue: complete. Red, with their numbers: the best, by
the seeds of the search. Green: what was asked for.</p>
{against(study, trials, best)}""")
    parts.append(f"""<h2>What matters</h2>
<p>How much each parameter tells of what sets the best tenth of the complete trials apart from all,
by PED-ANOVA.</p>
{importance(study, found)}
<h2>Parameter by parameter</h2>
{slices(study, trials)}
<h2>Trial by trial</h2>
{history(study, trials, best)}
</html>
""")
    return "\n".join(parts)
