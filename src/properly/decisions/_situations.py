"""Texts and calls of the advice, for each kind of decision.

In a body of Python, ``$y`` and ``$p`` stand for outcomes and forecasts.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Pairs: TypeAlias = tuple[tuple[str, str], ...]


class Cut(NamedTuple):
    """What changes if the outcome has ordered grades."""

    why: str
    instead: Pairs = ()
    metric: str | None = None
    rule: str | None = None  # its score is the mean of those at the cuts


class Situation(NamedTuple):
    """A kind of decision and the advice for it."""

    situation: str
    metrics: tuple[str, ...]
    why: str
    assumes: tuple[str, ...]
    instead: Pairs
    body: str
    cut: Cut


class MoneyAdvice(NamedTuple):
    """What changes if amounts of money are known."""

    situation: str
    metric: str
    why: str
    body: str


PROBABILITY = "Forecasts are taken as probabilities: one acts from the threshold on."
SAME = "Acting costs the same whoever is acted on. A missed event harms all alike."
THRESHOLDS_DIFFER = "Thresholds differ by the cost of acting, not by the harm of a missed event."
BINDING = (
    "More cases deserve action than can have it: the border, the last forecast acted on, is above "
    "the threshold. If not, decide case by case."
)
SCALED = "K is scaled to the data: 20 places for 200 patients are one case in ten."
SAME_RATE = "Events are as frequent where the model will be used (else: with_event_rate)."

ACCURACY = ("accuracy", "a missed event counts like a false alarm, as at a threshold of 1/2.")
AUC = (
    "AUC",
    (
        "judges the order of cases. Risks ten times too high go unnoticed, and the model's own "
        "scores decide which thresholds count."
    ),
)
SCORES = ("Brier and log score", "cover all thresholds, most of which nobody would use.")
F1 = ("F1", "prices mistakes as if the threshold were half of F1 itself, not yours.")
TWO_SCALES = ("AUC beside calibration error (ECE)", "scales that cannot be added up.")
ONE_BY_ONE = ("Brier and log score", "judge each forecast, and may prefer a poorer list.")
ABOVE_HALF = ("accuracy", "acts on all above 1/2, however many they are.")
ONE_BUDGET = ("Precision@K at one K", "at another, models may change places.")

AT_THRESHOLD = """\
tally = properly.tally($y, $p)
for name, t in {"model": tally, **properly.counts.baselines(tally)}.items():
    at = properly.at_threshold(t, 0.1)  # your threshold
    print(f"{name:10}  {at.net_benefit=:.4f}  {at.regret=:.4f}  {at.skill=:.3f}")"""
BY_RULES = """\
tally = properly.tally($y, $p)
for rule in (RULES):
    print(f"{rule.name}: skill {properly.skill($y, $p, rule):.3f}")
    for name, t in {"model": tally, **properly.counts.baselines(tally)}.items():
        parts = properly.decompose(t, rule)
        print(f"  {name:10}  {parts.score=:.5f}  {parts.miscalibration=:.5f}")"""
IN_RANGE = "Regret(within), Bounded(Brier(), within), Bounded(Log(), within)"
BY_BUDGET = """\
threshold = 0.1  # yours: the risk from which on acting pays
tally = properly.tally($y, $p)
lot = properly.counts.baselines(tally)["event rate"]  # nobody comes first
for share in SHARES:  # your K: 20 places for 200 patients are 0.1
    for name, t in {"model": tally, "by lot": lot}.items():
        at = properly.decisions.at_budget(t, share * t.total, threshold=threshold)
        print(f"{name:6} {share:3.0%}  {at.net_benefit=:.4f}  {at.precision=:.3f}"
              f"  {at.recall=:.3f}  {at.border=:.3f}")"""
WHOLE_LIST = """
by = properly.decisions.ranking(tally)
print(f"{by.auc=:.4f} (by lot 0.5)  {by.average_precision=:.4f}"
      f" (by lot {tally.event_rate:.4f})")"""
RANKING = """\
tally = properly.tally($y, $p)
for name, t in {"model": tally, **properly.counts.baselines(tally)}.items():
    by = properly.decisions.ranking(t)
    print(f"{name:10}  {by.auc=:.4f}  {by.auc_skill=:.4f}"
          f"  {by.average_precision=:.4f}")"""

CUTS = "'This grade or higher' is an event, so all of this holds at each cut between grades."
RANKED = "ranked probability score"
NOT_THE_LIST = Cut(CUTS, ((RANKED, "averages Brier scores, which do not judge the list."),))

SITUATIONS: dict[tuple[str, str], Situation] = {
    ("independent", "fixed"): Situation(
        "You decide case by case, and know the threshold: the risk at which you begin to act.",
        ("net benefit at the threshold", "regret at the threshold"),
        "To act from a risk of 10 % on is to say that one missed event is as bad as nine false "
        "alarms. Net benefit counts the events acted on, less the false alarms at that rate. "
        "Regret adds up both kinds of mistakes, and ranks models alike. A model is of use if it "
        "beats both treating all and treating none; skill is the share of the better one's regret "
        "that it removes.",
        (PROBABILITY, SAME, SAME_RATE),
        (ACCURACY, AUC, SCORES, F1),
        AT_THRESHOLD,
        Cut(CUTS, ((RANKED, "averages Brier scores, and so covers all thresholds."),)),
    ),
    ("independent", "range"): Situation(
        "You decide case by case, and know a range for the threshold: the risk at which one "
        "begins to act.",
        ("mean regret over the range", "bounded Brier score (twice that)", "bounded log score"),
        "Guidelines and patients differ, so no single threshold will do. Regret is what mistakes "
        "cost at a threshold t: t for a false alarm, 1 - t for a missed event. Its mean takes all "
        "thresholds in the range for equally likely; the bounded log score gives more weight to "
        "those near 0 and 1. Compare with treating all, treating none, and saying the event rate "
        "of everybody, the better of the two at each threshold: skill is the share of its regret "
        "that the model removes.",
        (PROBABILITY, SAME, THRESHOLDS_DIFFER, SAME_RATE),
        (
            ("net benefit at one threshold", "at another, ranks change; see decision_curve."),
            ("mean net benefit", "fixes the gain of acting, not the harm; ranks can reverse."),
            AUC,
            SCORES,
            ACCURACY,
            TWO_SCALES,
        ),
        "within = (0.05, 0.2)  # your range\n" + BY_RULES.replace("RULES", IN_RANGE),
        Cut(
            f"{CUTS} The mean of the bounded Brier scores of all cuts is a bounded ranked "
            "probability score.",
            metric=f"bounded {RANKED}",
            rule="Ranked(Bounded(Brier(), within))",
        ),
    ),
    ("independent", "unknown"): Situation(
        "You decide case by case, and cannot say at which risk users will begin to act: the "
        "threshold.",
        ("Brier score", "log score", "miscalibration (decompose)"),
        "Both scores add up what mistakes cost at all thresholds: the Brier score evenly, the log "
        "score with more weight near 0 and 1, and without limit once a risk of 0 comes true. "
        "Miscalibration is the part that better probabilities in the same order would save at "
        "most. "
        "Compare with giving all the same forecast, the event rate: skill is the share of its "
        "score that the model removes. Even a rough range of thresholds would be better: which "
        "risk is too low for anyone to act, which too high for anyone to wait?",
        (PROBABILITY, SAME, THRESHOLDS_DIFFER, SAME_RATE),
        (
            ACCURACY,
            AUC,
            TWO_SCALES,
            F1,
            ("a score by itself", "if events are rare, treating none scores well too."),
        ),
        BY_RULES.replace("RULES", "Brier(), Log()"),
        Cut(
            f"{CUTS} The mean of the Brier scores of all cuts is the ranked probability score: the "
            "farther off a forecast is, the more it costs.",
            metric=RANKED,
            rule="RPS()",
        ),
    ),
    ("budget", "fixed"): Situation(
        "You can act on K cases and no more, those with the highest forecasts, and know K.",
        ("net benefit of acting on K (Net Benefit@K)", "Precision@K", "Recall@K"),
        "Every model fills the same K places, so what counts is how many of the K have the event. "
        "Precision is their share of the K, recall their share of all events; for one K all three "
        "rank models alike. Only net benefit says if acting is worth it: it takes off the false "
        "alarms at the price set by the threshold, the risk from which on acting pays. Above 0 it "
        "beats treating none; treating all is ruled out. Compare with filling the places by lot.",
        (BINDING, SAME, SCALED, SAME_RATE),
        (
            ("AUC", "averages over all K, from nobody to everybody. You have one."),
            ONE_BY_ONE,
            ABOVE_HALF,
            ("F1 at a threshold", "acts on another number of cases than K."),
        ),
        BY_BUDGET.replace("SHARES", "[0.1]"),
        NOT_THE_LIST,
    ),
    ("budget", "range"): Situation(
        "You can act on K cases and no more, those with the highest forecasts, and know K roughly.",
        ("net benefit at several K (Net Benefit@K)", "Precision@K and Recall@K", "AUC (with care)"),
        "Look at the least K, the greatest and some between. A model ahead at all of them is the "
        "better one, whatever K will be; if models change places, find out more about K. Net "
        "benefit counts events among the K, less false alarms at the price set by the threshold, "
        "the risk from which on acting pays; above 0 it beats treating none. Compare with filling "
        "the places by lot. AUC (ranking, roc_curve) averages over all K, likely or not.",
        (BINDING, SAME, SCALED, SAME_RATE),
        (
            ("partial AUC", "cut by forecast (ranking, within=), it covers other K by model."),
            ONE_BUDGET,
            ONE_BY_ONE,
            ABOVE_HALF,
        ),
        BY_BUDGET.replace("SHARES", "[0.05, 0.1, 0.15, 0.2]") + WHOLE_LIST,
        NOT_THE_LIST,
    ),
    ("budget", "unknown"): Situation(
        "You can act on K cases and no more, those with the highest forecasts, and cannot say "
        "what K will be.",
        ("AUC (area under the ROC curve)", "average precision"),
        "Places are filled from the top of the list, so only its order counts. AUC is the chance "
        "that a case with the event stands above one without, an average over all K. Average "
        "precision ends the list at each event in turn, and is the mean share of events on it: "
        "prefer that if places will be few. By lot, or with one forecast for all, AUC is 0.5 and "
        "average precision the event rate. Even a rough range of K would be better.",
        (
            "Only the order of forecasts counts; as probabilities they remain untested.",
            "Any K is possible, and more cases deserve action than can have it.",
            SAME,
            SAME_RATE,
        ),
        (ABOVE_HALF, ONE_BY_ONE, ONE_BUDGET, TWO_SCALES),
        RANKING,
        NOT_THE_LIST,
    ),
}

COST_AND_LOSS = "You know the cost C of acting, and the loss L of an event that nobody acted on."
PAYS = "Acting pays from a risk of C/L on, which is the threshold."
LOST = (
    "Regret in money is what mistakes lose against knowing the outcomes beforehand: C for acting "
    "in vain, L - C for a missed event."
)
SAVED = (
    "Compare with treating all and treating none: what a model saves against the better of the two "
    "is what it is worth."
)
PLACES = "Compare with treating none, and with filling the places by lot."

IN_MONEY = """\
tally = properly.tally($y, $p)
money = properly.decisions.regret_in_money(tally, cost=cost, loss=loss, per=1000)
low, high = money.interval
print(f"{money.regret=:.0f}, between {low:.0f} and {high:.0f}")
print(f"{money.treat_all=:.0f}  {money.treat_none=:.0f}  {money.saved=:.0f}")"""
BY_SKILL = """\
for rule in (RULES):
    parts = properly.decompose(tally, rule)
    skill = properly.skill($y, $p, rule)
    print(f"{rule.name}: {skill=:.3f}  {parts.score=:.5f}"
          f"  {parts.miscalibration=:.5f}")"""
BUDGET_IN_MONEY = """\
cost, loss = 10, 100  # yours
tally = properly.tally($y, $p)
money = properly.decisions.regret_in_money(tally, cost=cost, loss=loss, per=1000)
print(f"{money.treat_none=:.0f}")
lot = properly.counts.baselines(tally)["event rate"]  # nobody comes first
for share in SHARES:  # your K: 20 places for 200 patients are 0.1
    for name, t in {"model": tally, "by lot": lot}.items():
        at = properly.decisions.at_budget(t, share * t.total, threshold=cost / loss)
        print(f"{name:6} {share:3.0%}  lost {1000 * loss * at.regret:.0f}"
              f"  {at.net_benefit=:.4f}  {at.precision=:.3f}  {at.recall=:.3f}"
              f"  {at.border=:.3f}")"""

MONEY: dict[tuple[str, str], MoneyAdvice] = {
    ("independent", "fixed"): MoneyAdvice(
        COST_AND_LOSS,
        "regret in money",
        f"{PAYS} {LOST} {SAVED} Net benefit and regret rank models alike.",
        f"""\
cost, loss = 10, 100  # yours
{IN_MONEY}
at = properly.at_threshold(tally, cost / loss)
print(f"{{at.net_benefit=:.4f}}  {{at.regret=:.4f}}  {{at.skill=:.3f}}")""",
    ),
    ("independent", "range"): MoneyAdvice(
        f"{COST_AND_LOSS} C has a range.",
        "mean regret in money over the range",
        f"{PAYS} {LOST} Its mean takes all C in the range for equally likely. If L is in doubt, "
        f"try the least and the greatest. {SAVED}",
        f"""\
cost, loss = (5, 20), 100  # yours
{IN_MONEY}
within = properly.Interval.from_costs(cost=cost, loss=loss)
{BY_SKILL.replace("RULES", IN_RANGE)}""",
    ),
    ("independent", "unknown"): MoneyAdvice(
        "You know the loss L of an event that nobody acted on.",
        "mean regret in money over all costs",
        f"Once the cost C of acting is known, if only roughly, so is the threshold, C/L; then "
        f"ask again. {LOST} With C anywhere from 0 to L, its mean is half of the Brier score "
        f"times L. {SAVED}",
        f"""\
loss = 100  # yours
cost = (0, loss)
{IN_MONEY}
{BY_SKILL.replace("RULES", "Brier(), Log()")}""",
    ),
    ("budget", "fixed"): MoneyAdvice(
        COST_AND_LOSS,
        "regret in money of acting on K",
        "Every model fills the same K places, so what counts is how many of the K have the event. "
        f"{LOST} For one K, net benefit, precision (the share of events among the K) and recall "
        f"(the share of the events that are among the K) rank models alike. {PLACES}",
        BUDGET_IN_MONEY.replace("SHARES", "[0.1]"),
    ),
    ("budget", "range"): MoneyAdvice(
        COST_AND_LOSS,
        "regret in money of acting on several K",
        f"{LOST} Look at the least K, the greatest and some between: a model that loses less at "
        "all of them is the better one, whatever K will be; if models change places, find out "
        f"more about K. {PLACES}",
        BUDGET_IN_MONEY.replace("SHARES", "[0.05, 0.1, 0.15, 0.2]") + WHOLE_LIST,
    ),
    ("budget", "unknown"): MoneyAdvice(
        COST_AND_LOSS,
        "regret in money of acting on several K",
        f"{LOST} AUC and average precision know nothing of money, so look at some K, few places "
        f"and many. {PLACES}",
        BUDGET_IN_MONEY.replace("SHARES", "[0.01, 0.05, 0.2, 0.5]") + WHOLE_LIST,
    ),
}
