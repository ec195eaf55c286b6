"""Asks SciPy, statsmodels and ruptures what `cargo run -q -p stats --example cases` has printed, and compares."""

import sys
from collections import Counter

import numpy as np
import ruptures
import scipy
from scipy import optimize, stats
from statsmodels.stats.proportion import confint_proportions_2indep


def ask(name, x):
    """The same figures by another implementation; None for what is left to R."""
    match name:
        case "mann_whitney_exact":
            t = stats.mannwhitneyu(x[0], x[1], method="exact")
            pairs = len(x[0]) * len(x[1])
            return {"u": min(t.statistic, pairs - t.statistic), "p": t.pvalue, "a12": 1 - t.statistic / pairs}
        case "mann_whitney_ties":
            t = stats.mannwhitneyu(x[0], x[1], method="asymptotic", use_continuity=True)
            return {"p": t.pvalue, "a12": 1 - t.statistic / (len(x[0]) * len(x[1]))}
        case "theil_sen":
            t = stats.theilslopes(x[0], np.arange(len(x[0])))
            return {"value": t.slope, "low": t.low_slope, "high": t.high_slope}
        case "clopper_pearson":
            i = stats.binomtest(int(x[0][0]), int(x[0][1])).proportion_ci(method="exact")
            return {"low": i.low, "high": i.high}
        case "newcombe":
            k1, n1, k2, n2 = x[0]
            low, high = confint_proportions_2indep(k2, n2, k1, n1, compare="diff", method="newcomb")
            return {"low": low, "high": high}
        case "chi_square" | "fisher":
            k1, n1, k2, n2 = x[0]
            table = [[k1, n1 - k1], [k2, n2 - k2]]
            if name == "fisher":
                return {"p": stats.fisher_exact(np.array(table, dtype=int)).pvalue}
            t = stats.chi2_contingency(table, correction=False)
            return {"statistic": t.statistic, "p": t.pvalue}
        case "quantile95":
            kinds = {"type1": "inverted_cdf", "type6": "weibull", "type7": "linear"}
            return {ours: np.quantile(x[0], 0.95, method=theirs) for ours, theirs in kinds.items()}
        case "mean":
            low, high = stats.t.interval(0.95, len(x[0]) - 1, np.mean(x[0]), stats.sem(x[0]))
            return {"value": np.mean(x[0]), "low": low, "high": high}
        case "pelt":
            penalty, least = x[1]
            points = ruptures.Pelt(model="l2", min_size=int(least), jump=1).fit(np.array(x[0])).predict(pen=penalty)[:-1]
            return {"count": len(points)} | {f"at{i}": at for i, at in enumerate(points)}
        case "usl":
            law = lambda n, l, s, k: l * n / (1 + s * (n - 1) + k * n * (n - 1))
            (l, s, k), covariance = optimize.curve_fit(law, np.array(x[0]), np.array(x[1]), p0=[90, 0.04, 0.001])
            return {"lambda": l, "sigma": s, "kappa": k, "kappa_se": covariance[2, 2] ** 0.5}
    return None


def main():
    counts, wrong = Counter(), 0
    for line in open(sys.argv[1]):
        name, inputs, outputs = line.rstrip("\n").split("\t")
        answer = ask(name, [[float(v) for v in part.split(",")] for part in inputs.split(";")])
        if answer is None:
            continue
        for pair in outputs.split(";"):
            key, ours = pair.split("=")
            ours, theirs = float(ours), float(answer.get(key, "nan"))
            near = 1e-4 if name == "usl" else 1e-9
            counts[name] += 1
            if not abs(ours - theirs) <= near * max(1e-6, abs(theirs)):
                wrong += 1
                print(f"{name} {key}: ours {ours!r}, SciPy {theirs!r}")
    print(f"{sum(counts.values())} figures compared with SciPy {scipy.__version__}, {wrong} differ")
    for name, count in counts.items():
        print(f"  {name:<20} {count}")
    sys.exit(1 if wrong else 0)


main()
