"""The prose of the page of results."""

INTRODUCTION = """# Composition attacks on Merging and its rivals

Written by `python experiments/composition/run.py` from {source}, after Hasan, Jiang, Chen and Wang (Applied
Sciences 8(5) 783, 2018). Disjoint sets of 4,000 people each get the same 100 to 500 others; every set is
published by every method, and every pair of releases ({pairs} pairs) is attacked by somebody who knows the
quasi-identifiers (age, sex, marital status, workclass, relationship, salary class). The sensitive column is
occupation or education.

The sections of the paper that define the methods were not at hand. What they leave open was chosen beforehand
and is a named parameter of each algorithm. So an order that holds here supports a claim of the paper, and one
that does not hold may be due to a choice of ours.

| method | here |
|---|---|
| DP | Mondrian(k); Laplace noise, epsilon 0.3, on the count of every value in every class; no real guarantee |
| Hybrid | a sample of 0.9, Mondrian(k), noise with epsilon 1 |
| Merging | buckets with l = k values, two groups of columns, few cells widened, one fake a bucket |
| Probabilistic | Mondrian(k) with (d, alpha)-linkable classes, d = 2, alpha = 0.9 |
| Composition | (rho, alpha): a sample of 0.9, Mondrian(k), no value above half of a class |
| Mondrian | Mondrian(k), strict: the widest column first, a node into all its children, age beside its median |
| Anatomy, Slicing | not in the paper; l = k |
| DiffGen | not in the paper; differentially private, epsilon 1 in all |

A method that says that it cannot be done has no figures: Slicing and Anatomy, where a value is too frequent.
"""

CLAIMS = """## The paper's claims

Of the points (data set, k = l, overlap or dimension) at which all methods were run, how many bear a claim out,
on means over pairs or sets. The paper's own figures cannot be recovered, only these orders.

| claim | holds at | verdict |
|---|---|---|"""

RISK = """## Privacy risk

![risk_all by overlap](risk_all.svg)

Percent, mean ± standard deviation over the pairs, at the largest overlap. `risk_all`: true matches by all
matches, over everybody. `risk_overlap`: over those who are in both. `risk_class`: over pairs of classes and
values. Values left: sensitive values that both releases leave for somebody in both. Rightly disclosed: share of
them of whom the true value alone is left. Classes: mean number of classes or buckets.
"""

PROTOTYPE = """## Beside the prototype

A prototype in plain Python ran one pair of tables (occupation, k = l = 6, 500 in both), with deeper trees for
two columns and 60 queries a dimension. Its figures stand first, ours, over all pairs, second.
"""

UTILITY = """## Distortion, counts and distances

Tables of 4,500 rows (figures 5 and 6 of the paper), means over the sets. Distortion: `tree` by levels, `ncp` by
the width of ranges of age; fakes are left out. Error of COUNT queries in percent, over 1 to 5 quasi-identifiers
and the sensitive column, selectivity 5 %; `literal` counts single values only. Moved: total variation, mean over
pairs of columns, and over those with the sensitive column. pMSE ratio by logistic regression on single columns
and by a tree: 1 is a table that draws its rows anew.

![error of COUNT queries](queries.svg)
"""

CLASSIFICATION = """## Classification

Percent of rows whose value a decision tree (entropy, at least 2 rows a leaf, pruned with alpha 5e-3, which was
tuned on an original) predicts. Drawn: cells are replaced by one of their values at random, ten-fold
cross-validation on these rows. Held out: learned on all of them, tested on people who are in no release. Where
noise published more than 10,000 rows, as many are learned from. No tree is scored on generalized labels, which
would make a column of one label perfectly predictable.
"""

TIME = """## Time

Processor milliseconds of the search alone, occupation, k = l = 6, median of the repeats; and the slope of log
time over log rows, 1 where time grows as the rows do. The methods that need classes stand on the library's own
Mondrian here, since the strict one above is a plain script.

![time](time.svg)
"""

ABLATIONS = """## Ablations

Occupation, k = l = 6, 500 people in both, five sets, ten pairs; percent but for the distortion.
"""

READING = """\
- Merging's distortion is near zero by construction: only cells beside the sensitive column can be widened, and
  with sex there they seldom need to be. What it costs is told by the queries and by the pairs that moved.
- `risk_overlap` counts matches. It does not say who is certain: read the rightly disclosed beside it.
- The spread of Merging on occupation comes from its groups: of the ten sets of Adult, eight keep sex beside the
  occupation and two keep workclass, and releases that are grouped differently match less truly.
- Buckets need l different values and are larger than classes of k. Mondrian with classes of the same mean size
  shows what is left of the gap.
- Fakes with values of the bucket add no value to any bucket, so they change no risk; they only disturb counts.
- The rivals stand on a strict Mondrian as the paper's do: a node is split into all its children or not at all. The
  library's own loses less, most with the best cut first; and where its cells are nodes, classes lie in each
  other, so that several fit a person and the risk is lower too. In its default form it has less risk than Merging
  and smaller errors of counts, but discloses people as any k-anonymity does; with distinct l it discloses nobody
  and has the least risk here, for larger errors. "Merging best of all" is a claim about the Mondrian beside it.
- Without permutation of the other columns, a bucket fits whom one of its rows fits.
"""

FAKES = """## Fakes and the prediction of the sensitive column

Education data, l = 6, means over the sets.
"""
