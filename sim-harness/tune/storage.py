"""Where trials are kept: a database that may be away for a while, and a sampler that depends on no
clock."""

import time

import numpy
import optuna
import sqlalchemy.exc
from optuna.storages import BaseStorage, RDBStorage, get_storage

from study import Wrong

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
    """A database that may be away for a while. A trial that it makes is a worker's at once, so one
    that is killed finds its trial again."""

    def __init__(self, inner, worker):
        self.inner = inner
        self.worker = worker


def _handed_on(name):
    return patient(lambda self, *args, **kwargs: getattr(self.inner, name)(*args, **kwargs))


for _name in sorted(BaseStorage.__abstractmethods__):
    setattr(Patient, _name, _handed_on(_name))


@patient
def _create_new_trial(self, study_id, template_trial=None):
    # It begins now, so each has a template of its own.
    return self.inner.create_new_trial(
        study_id,
        template_trial
        or optuna.trial.create_trial(
            state=optuna.trial.TrialState.RUNNING, user_attrs={"worker": self.worker}
        ),
    )


Patient.create_new_trial = _create_new_trial
Patient.__abstractmethods__ = frozenset()


class Seeded(optuna.samplers.BaseSampler):
    """TPE whose draws depend on the trials before, the study's seed and the trial's number, not on
    how often the search was stopped."""

    def __init__(self, study):
        self.study = study
        self.inner = self.of(0)
        self.tried = None
        self.drawn = set()

    def of(self, number):
        seed = int(numpy.random.SeedSequence([self.study.seed, number]).generate_state(1)[0])
        return optuna.samplers.TPESampler(
            seed=seed, n_startup_trials=self.study.startup, multivariate=True
        )

    def before_trial(self, study, trial):
        self.inner = self.of(trial.number)
        self.drawn = set()
        # The first trials are those of `tries`. Optuna's own queue may hand one to two workers.
        tries = self.study.tries
        self.tried = tries[trial.number] if trial.number < len(tries) else None
        self.inner.before_trial(study, trial)

    def infer_relative_search_space(self, study, trial):
        if self.tried:
            return {}
        return self.inner.infer_relative_search_space(study, trial)

    def sample_relative(self, study, trial, search_space):
        return self.inner.sample_relative(study, trial, search_space)

    def sample_independent(self, study, trial, name, distribution):
        if self.tried:
            return self.tried[name]
        # Draws from before the search was killed are made again: they come before this one.
        names = [parameter.name for parameter in self.study.parameters]
        for earlier in names[: names.index(name)]:
            if earlier not in self.drawn:
                self.drawn.add(earlier)
                told = trial.distributions[earlier]
                self.inner.sample_independent(study, trial, earlier, told)
        self.drawn.add(name)
        return self.inner.sample_independent(study, trial, name, distribution)

    def after_trial(self, study, trial, state, values):
        self.inner.after_trial(study, trial, state, values)


def open_study(study, url, worker=None):
    # A connection that the server has dropped is noticed before it is used.
    arguments = {"pool_pre_ping": True}
    if url.startswith("sqlite"):
        arguments["connect_args"] = {"timeout": 60}
    url = url.replace("postgresql://", "postgresql+psycopg://", 1)
    try:
        storage = Patient(get_storage(RDBStorage(url, engine_kwargs=arguments)), worker)
    except (
        sqlalchemy.exc.SQLAlchemyError,
        optuna.exceptions.StorageInternalError,
        ImportError,
    ) as e:
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
    elif whose != study.fingerprint:
        raise Wrong(
            f"{study.path}: the trials of {study.name} are of another text of it: take another name"
        )
    return found
