"""A study's page: one HTML file that needs no network. Plots are SVG by matplotlib, some tens of KB;
plotly's script alone would be 4.8 MB."""

import html
import io

import matplotlib
import optuna

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

# The same bytes for the same trials; text stays text.
matplotlib.rcParams.update({
    "svg.hashsalt": "namiji", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
})  # fmt: skip
BLUE, GREY, RED = "#2b6cb0", "#9aa5b1", "#c53030"


def svg(figure):
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    pyplot.close(figure)
    text = out.getvalue()
    return text[text.index("<svg") :]


def history(study, trials, best):
    """Every trial's objectives, in the order in which they were begun."""
    figure, axes = pyplot.subplots(1, len(study.objectives), figsize=(4.6 * len(study.objectives), 2.8), squeeze=False)
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    pruned = [trial.number for trial in trials if trial.state != TrialState.COMPLETE]
    for i, (axis, objective) in enumerate(zip(axes[0], study.objectives)):
        numbers, values = [t.number for t in complete], [t.values[i] for t in complete]
        axis.scatter(numbers, values, s=14, color=BLUE, label="complete", zorder=3)
        axis.scatter([t.number for t in best], [t.values[i] for t in best], s=40, facecolor="none",
                     edgecolor=RED, label="unbeaten", zorder=4)  # fmt: skip
        # Pruned trials have no value: ticks at the foot.
        axis.plot(pruned, [0.02] * len(pruned), "|", color=GREY, label="pruned", transform=axis.get_xaxis_transform())
        axis.set(xlabel="trial", ylabel=objective.words)
    axes[0][0].legend(fontsize=8)
    return svg(figure)


def importance(study, found):
    """How much each parameter says about each objective, by PED-ANOVA."""
    figure, axes = pyplot.subplots(1, len(study.objectives), figsize=(4.6 * len(study.objectives), 0.8 + 0.32 * len(study.parameters)), squeeze=False)
    for i, (axis, objective) in enumerate(zip(axes[0], study.objectives)):
        try:
            parts = optuna.importance.get_param_importances(found, target=lambda trial, i=i: trial.values[i])
        except (ValueError, RuntimeError):
            # Too few trials, or all the same.
            parts = {}
        names = [parameter.name for parameter in study.parameters][::-1]
        axis.barh(names, [parts.get(name, 0.0) for name in names], color=BLUE)
        axis.set(xlabel=f"importance for {objective.words}", xlim=(0, 1))
        axis.grid(axis="y", visible=False)
    figure.tight_layout()
    return svg(figure)


def pareto(study, trials, best):
    """The first two objectives against each other."""
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    figure, axis = pyplot.subplots(figsize=(5.2, 3.6))
    x, y = study.objectives[:2]
    axis.scatter([t.values[0] for t in complete], [t.values[1] for t in complete], s=14, color=BLUE, label="complete")
    axis.plot([t.values[0] for t in best], [t.values[1] for t in best], "o-", color=RED, markerfacecolor="none",
              linewidth=1, label="unbeaten")  # fmt: skip
    for trial in best:
        axis.annotate(str(trial.number), (trial.values[0], trial.values[1]), xytext=(5, 4),
                      textcoords="offset points", fontsize=8)  # fmt: skip
    axis.set(xlabel=x.words, ylabel=y.words)
    axis.legend(fontsize=8)
    return svg(figure)


def slices(study, trials):
    """The mean of each figure over each parameter; grey where the trial was pruned."""
    figures = study.figures()
    across, down = len(study.parameters), len(figures)
    figure, axes = pyplot.subplots(down, across, figsize=(2.2 * across, 2.0 * down), sharey="row", squeeze=False)
    for row, name in enumerate(figures):
        for place, parameter in enumerate(study.parameters):
            axis = axes[row][place]
            for state, colour in ((TrialState.PRUNED, GREY), (TrialState.COMPLETE, BLUE)):
                of = [t for t in trials if t.state == state and t.user_attrs.get("means", {}).get(name) is not None]
                at = [t.params[parameter.name] for t in of]
                at = [str(value) for value in at] if parameter.kind == "values" else at
                axis.scatter(at, [t.user_attrs["means"][name] for t in of], s=9, color=colour)
            for objective in study.objectives:
                if objective.target and objective.figure == name:
                    axis.axhspan(*objective.target, color="#48bb78", alpha=0.15, linewidth=0)
            if getattr(parameter, "log", False):
                axis.set_xscale("log")
            if row == down - 1:
                axis.set_xlabel(parameter.name, fontsize=8)
            if place == 0:
                axis.set_ylabel(f"mean of {name}")
    figure.tight_layout()
    return svg(figure)


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1a202c; }
h1 { margin-bottom: 0.2rem; } h2 { margin: 2.2rem 0 0.4rem; font-size: 1.15rem; }
table { border-collapse: collapse; font-size: 13px; } .wide { overflow-x: auto; }
th, td { border-bottom: 1px solid #cbd5e0; padding: 4px 10px 4px 0; text-align: left; vertical-align: top; }
td { font-variant-numeric: tabular-nums; } svg { max-width: 100%; height: auto; } p { max-width: 46rem; }
"""


def page(study, found, trials, best, head, lines):
    text = html.escape
    count = lambda state: sum(trial.state == state for trial in trials)
    cells = lambda kind, line: "<tr>" + "".join(f"<{kind}>{text(cell)}</{kind}>" for cell in line) + "</tr>"
    asked = "; ".join(objective.words for objective in study.objectives)
    parts = [
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{text(study.name)}</title><style>{STYLE}</style>",
        f"<h1>{text(study.name)}</h1><p>Scenario <b>{text(study.scenario.split('/')[-1])}</b>. Asked for: {text(asked)}.",
        f"{len(trials)} trials with seeds {study.seeds}: {count(TrialState.COMPLETE)} complete,",
        f"{count(TrialState.PRUNED)} pruned, {count(TrialState.FAIL)} failed. Optuna {optuna.__version__}, TPE, seed {study.seed}.</p>",
        "<h2>The best, with fresh seeds</h2>",
        f"<p>No choice depended on seeds {study.check}. Behind a mean stands its 95 % confidence interval.",
        "The best of many trials are partly lucky with the seeds by which they were chosen; fresh seeds show how much.</p>",
        f"<div class='wide'><table>{cells('th', head)}{''.join(cells('td', line) for line in lines)}</table></div>",
    ]
    if len(study.objectives) > 1:
        parts.append("<h2>One objective against another</h2><p>Numbers are trials. Red ones are beaten by no other in all objectives.</p>")
        parts.append(pareto(study, trials, best))
    parts.append("<h2>What matters</h2><p>How much of what sets the best trials apart each parameter tells, by PED-ANOVA, of all complete trials.</p>")
    parts.append(importance(study, found))
    parts.append("<h2>Parameter by parameter</h2><p>Blue: complete trials. Grey: pruned ones, by the seeds that they had. Green: a target.</p>")
    parts.append(slices(study, trials))
    parts.append("<h2>In the order of trials</h2>")
    parts.append(history(study, trials, best))
    return "\n".join(parts) + "</html>\n"
