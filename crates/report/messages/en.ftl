# The English catalogue. Whole sentences; quantities arrive written, with their units.
# A count stands a second time as a number under its name with `_n`, for plural forms.

## Page

page-skip = Skip to the report
page-brand = performance test report
page-theme = Light or dark
page-contents = Contents
page-hint = Drag across a figure over time to zoom in, double-click to zoom out. A name beside a line switches it off. With the keyboard: arrows, + and −.
page-footer = Made by loadproof from the evidence of this run alone: the same evidence, study and version give the same bytes. Every table is also a CSV file under “tables”, with unrounded numbers; “result.json” holds the verdicts for programs.
page-figure = Figure
page-observation = Observation
page-assessment = Assessment
page-numbers = Plotted numbers
page-table = Table
page-of-pages = Page { $page } of { $pages }
table-on-paper = On paper one row of every { $stride }; all are in { $file }.
table-thinned = One row of every { $stride } is shown here; all are in { $file }.

## Words

phase-word = { $phase ->
    [idle] idle
    [ramp] ramp
    [warm_up] warm-up
    [hold] hold
    [drain] drain
    [recovery] recovery
   *[other] { $phase }
}
verdict-word = { $verdict ->
    [met] met
    [not_met] not met
    [cannot_tell] cannot tell
   *[other] { $verdict }
}
validity-word = { $validity ->
    [valid] valid
    [questionable] questionable
    [invalid] invalid
   *[other] { $validity }
}
severity-word = { $severity ->
    [must] must
    [should] should
    [informative] informative
   *[other] { $severity }
}
gravity-word = { $gravity ->
    [info] info
    [notice] notice
    [warning] warning
    [blocker] blocker
   *[other] { $gravity }
}
outcome-word = { $outcome ->
    [ok] ended well
    [failed] failed
    [all] all
   *[other] { $outcome }
}
book-word = { $book ->
    [intended] intended
    [started] started
    [dropped] dropped
    [completed] completed
    [failed] failed
    [aborted] aborted
    [open] still open
   *[other] { $book }
}
class-word = { $class ->
    [refused] refused
    [reset] reset
    [timeout] time-out
    [partial] broke off
    [status] wrong status
    [wrong] wrong answer
    [fault] fault
    [missing] missing
    [late] late
    [duplicate] duplicate
    [unordered] out of order
    [bad_study] study at fault
    [no_resource] generator out of resources
    [aborted] cut off
    [dropped] never started
   *[other] { $class }
}
side-word = { $side ->
    [target] network or system
    [study] study
    [generator] generator
    [stop] end of the run
   *[other] { $side }
}
cpu-part = { $part ->
    [user] user
    [system] system
    [wait] I/O wait
    [steal] stolen
   *[other] { $part }
}
percentile-name = p{ $percentile }
exact = exact
measured-too-short = too short to project
measured-hourly = { $hourly } an hour
signs-planned = ended, of { $planned } planned
signs-others = { $others_n ->
    [one] and in one other step
   *[other] and in { $others } other steps
}
interval = { $low } to { $high }
places = { $count } places, { $first } to { $last }
in-all = in all
no-interval = no interval
all-steps = All steps
unchanged = unchanged
used-yes = yes
used-no = no
identified-yes = checked before the load
identified-no = not the one expected
planned-length = planned { $planned }
code-without-args = { $code }.
code-with-args = { $code }: { $list }.

## Title block

title-field = { $field ->
    [organisation] Organisation
    [address] Address
    [contact] Contact
    [version] Report version
    [status] Status
    [date] Date
    [readers] Readers
    [history] Document history
    [distribution] Distribution
    [changes] Changes since the last report
   *[other] { $field }
}
title-study = Study
title-run = Run
title-started = Started
title-ended = Ended
title-no-end = not recorded
title-made-by = Measured with
title-study-hash = Study, SHA-256
title-fingerprint = Fingerprint of study and data
title-measurement = Measurement
history-version = Version
history-date = Date
history-author = Author
history-changes = Changes
mark-trial = Trial
mark-trial-text = The study was shortened to about { $asked } (phases and waits to { $factor } of their length). Rates, users and limits are those of the study; what a full run would show may differ.
mark-killed = Killed
mark-killed-text = The run has no ending of its own: it was killed, or its machine went down. The report covers what was recorded until then.
mark-aborted = Aborted
mark-aborted-text = A stop rule of the study ended the run before its plan was carried out. { $text }
mark-interrupted = Interrupted
mark-interrupted-text = The run was stopped by hand before its plan was carried out. { $text }
mark-generator = Generator failed
mark-generator-text = The load generator could not go on. { $text }
mark-target = Target unusable
mark-target-text = The system under test could not be used to the end. { $text }
mark-altered = Altered evidence
mark-altered-text = Evidence is missing, cannot be read, or was changed after it had been sealed: { $files }.
mark-torn = Torn evidence
mark-torn-text = Part of the recording was lost and is left out. { $damage }

## Management summary

summary-title = Management summary
bottom-invalid = The measurement is invalid, so it says nothing about the system: no requirement is shown to hold or to fail.
bottom-partly-invalid = The measurement was disturbed. Of { $all } verdicts on requirements that must hold, { $met } are met and { $not_met } not met in spite of it; the disturbance cannot have turned these.
bottom-nothing = The study states no requirement, so nothing is judged; the figures describe the run.
bottom-no-must = No requirement of the study is marked as a must; the verdicts below decide nothing by themselves.
bottom-met = { $all_n ->
    [one] The one requirement that must hold is met.
   *[other] All { $all } requirements that must hold are met.
}
bottom-open = Of { $all } requirements that must hold, { $met } { $met_n ->
    [one] is
   *[other] are
} met and { $open } cannot be told from this run.
bottom-not-met = Of { $all } requirements that must hold, { $not_met } { $not_met_n ->
    [one] is
   *[other] are
} not met, { $met } { $met_n ->
    [one] is
   *[other] are
} met, and { $open } cannot be told.
bottom-verdicts = They were judged in { $all } places: { $met } met, { $not_met } not met, { $open } cannot be told.
bottom-marks = The run is marked: { $marks }.
validity-text = { $validity ->
    [valid] Nothing among { $signs } signs that were looked at speaks against the measurement. Verdicts stand as they are.
    [questionable] The measurement was disturbed. Verdicts stand that the disturbance cannot have turned; every other “met” becomes “cannot tell”.
   *[other] The measurement was spoiled by something other than the system under test, in the parts named here. Only verdicts that this cannot have turned are given.
}
validity-more = and { $left } more, in the generator’s table of signs
table-verdicts = Requirements and verdicts
note-verdicts = Under a measured value stands its interval, each end of which is wrong in 5% of such runs, or “exact” where every call was counted and nothing is estimated. “Where” is scenario/step.
table-glance = At a glance, judged parts
note-glance = Times are of calls that ended well. The share of failures is that of all calls that ended. Intervals stand in the scenarios’ chapters.
note-glance-left = { $left_n ->
    [one] One further row is in its scenario’s chapter.
   *[other] { $left } further rows are in their scenarios’ chapters.
}
table-workloads = Times of each request by workload, with the change against the workload it is compared with
note-workloads = In brackets stands the change against the workload set in bold above, as a difference where it is more than tenfold. ≠ is a proven difference, = proven equality, ? neither, × not comparable; intervals and reasons are in the comparison’s chapter. “≥” is a lower bound: calls were cut off at the time-out.
workload-calls = { $count_n ->
    [one] from one call
   *[other] each from { $count } calls or more
}
note-workload-failed = { $sign } { $share } of the { $count } calls of { $exchange } in { $scenario } failed; the times are of those that ended well.
key-finding-also = { $scope }. Likewise { $places }
also-in = { $text } Likewise in { $places }.
and-more = { $left_n ->
    [one] { " " }and one more
   *[other] { " " }and { $left } more
}
measure-word = { $measure ->
    [service] service time
   *[response] response time
}
key-findings-title = Key findings
key-findings-none = None of the rules that look for contradictions, disturbances and misleading figures found anything.
key-findings-more = { $left_n ->
    [one] One more finding is in its scenario’s chapter.
   *[other] { $left } more findings are in their scenarios’ chapters.
}
author-title = From the author
author-comment = Comment on { $place }: { $text }
author-expectation = Expected, and outside the verdict: { $text }
author-link = { $name }: { $target }
author-remark = From the author: { $text }
not-shown-title = What this test does not show
not-shown-left-out = Not exercised: { $text }
not-shown-differs = Different from production: { $text }
not-shown-trial = It is a shortened trial: trends, leaks and rare events need the full length.
not-shown-length = The judged parts lasted { $length } in all. What happens more rarely, or builds up more slowly, is not in it.
not-shown-single-run = It is one run. How much results vary from run to run is not in any interval of this report.
not-shown-repetitions = It is one run, in which everything was carried out { $times } times. That shows how much results vary within a day, and not from day to day.
not-shown-shared-machine = Load generator and system shared a machine, so each slowed the other; how it is on machines of their own was not measured.
not-shown-features = Of the protocol not exercised:
not-shown-closed = A closed load waits for each answer, so it never asks for more than the system gives; it does not show what happens when demand exceeds capacity.
not-shown-cannot-tell = { $open_n ->
    [one] One verdict cannot be told from this run; its reason stands beside it.
   *[other] { $open } verdicts, over { $requirements } { $requirements_n ->
        [one] requirement
       *[other] requirements
    }, cannot be told from this run; their reasons stand beside them.
}

## Introduction and set-up

introduction-title = Introduction
introduction-purpose = Purpose
introduction-no-purpose = The study states no purpose (“about”).
introduction-scope = Scope
introduction-what = Tested was { $system }, { $instances_n ->
    [0] with no recorded instance
    [one] with one recorded instance
   *[other] with { $instances } recorded instances
}. Of { $scenarios } planned { $scenarios_n ->
    [one] scenario
   *[other] scenarios
} { $ran } took place, made of { $exchanges } { $exchanges_n ->
    [one] kind of exchange
   *[other] kinds of exchanges
}.
introduction-work = A request makes the system do: { $text }
introduction-criteria = Success criteria
introduction-reading = How to read this report
table-criteria = Requirements as the machine reads them
note-criteria = The rule is what was judged, word by word; “places” counts the steps and members that it was judged in.
reading-validity = Validity comes before verdicts: what spoiled a measurement says nothing about the system.
reading-figures = Each figure has an observation, which is what the data show, and an assessment, which is what that means for the question of the study.
reading-numbers = Values have three significant digits, and an interval the same places as its value. “–” is missing, with its reason beside it; “≥” is a lower bound; “exact” was counted and not estimated.
reading-findings = Findings have ids such as F1; whatever rests on one names it, and the recommendations follow from them.
reading-author = What the study’s author wrote is marked as such. Everything else was measured, captured or computed.
reading-tables = Every table and every figure’s numbers are a CSV file under “tables”, unrounded.
setup-title = Test set-up
setup-system = System, generator and monitors
setup-instances = { $instances_n ->
    [one] The system is one instance: { $names }.
   *[other] The system is made of { $instances } instances: { $names }.
}
setup-generator-shared = The load generator ran { $threads } { $threads_n ->
    [one] thread
   *[other] threads
} on the same machine as the system; its own state is in its clean bill.
setup-generator-apart = The load generator ran { $threads } { $threads_n ->
    [one] thread
   *[other] threads
} on a machine that the system does not share; its own state is in its clean bill.
setup-watched = Watched by: { $names }.
table-machine = The machine in short
note-machine = Captured by the monitors at the start; the appendix on the environment has all facts.
setup-differs = Differences from production
setup-no-differs = The study states no difference from production (“differs”). That does not prove that there is none.
setup-data = Data
setup-data-set = { $name }: { $rows } { $rows_n ->
    [one] row
   *[other] rows
}.

## Test runs

table-runs = Test runs
note-runs = A row is a judged step. The load is what the study asked for; what was achieved stands below. “Time in run” is when the step began.
load-rate = { $asked } { $asked_n ->
    [one] iteration/s
   *[other] iterations/s
}
load-users = { $users } { $users_n ->
    [one] user
   *[other] users
}

## Load

load-title = Load planned and achieved
load-intro = Rates and books count iterations. What was planned stands beside what was started, and everything planned is accounted for.
load-nothing = No step of the plan took place, so there is nothing to show.
load-not-run = Scenario { $scenario } was planned and did not take place.
model-open = Open load: iterations start at planned moments, however slow the answers are. Starts are spaced { $spacing ->
    [poisson] as a Poisson process
   *[even] evenly
}.
model-closed = Closed load: { $users } virtual { $users_n ->
    [one] user runs
   *[other] users run
} one iteration after another, each waiting for its answer. No start is planned, so times are service times.
model-think = One iteration includes { $think } of think time.
model-pacing = A user starts an iteration at most every { $pacing }.
model-bound = At most { $bound } connections are used at once; a start that has to wait for one waits with its clock running.
model-unknown = The run’s head does not describe this scenario’s load.
table-steps = Steps of { $scenario }: planned and achieved
note-steps = Offered is what the plan asked for, achieved what was started, throughput what ended well: iterations a second. Times count from the scenario’s begin.
table-books = Books of { $scenario }: where every iteration went
note-books = Intended = started + dropped; started = completed + failed + aborted + still open. All rows balance.
note-books-unbalanced = Intended should be started + dropped, and started should be completed + failed + aborted + still open. At least one row does not balance: figures of this scenario cannot be relied on.
table-assumptions = Assumptions of the load profile

fig-plan-caption = Load planned and started, { $scenario }
fig-plan-seen = In the judged part { $intended } iterations were due; { $started } were started and { $dropped } never were.
fig-plan-seen-closed = In the judged part { $started } iterations were started.
fig-plan-means-all = Every planned start was made, so the results belong to the load that was asked for.
fig-plan-means-short = { $share } of the planned starts were never made: the results belong to a smaller load than was asked for.
fig-plan-means-closed = In a closed load the rate follows from how fast the answers came. It is a result, not a plan.
fig-whole-seconds = Counted by second; seconds that the scenario’s begin or end cuts are left out.

## Shape of a distribution

table-shape = { $scenario }: shape of the distribution
col-humps = Humps
col-tail = p99 ÷ median
col-extreme = greatest ÷ p99
col-stalled = Seconds with stalls
col-shape = Statement
shape-irregular = see finding { $finding }
shape-tail = long tail
shape-regular = one hump, no long tail, no stalls
shape-too-few = A hold has fewer than { $needed } calls that ended well, so nothing is said of the shape of the distribution.
note-shape = A long tail is a p99 of ten times the median and more; a second stalls when its mean time is more than three times the usual one.

## Stop rules

stops-none = The study has no rule that would have stopped this scenario early.
stops-unread = The study cannot be read, so its stop rules are not printed. One of them held: { $text }
table-stops = { $scenario }: stop rules, and what each of them did
col-stop-rule = Rule
col-did = What it did
stop-held = held at { $at } and ended the run
stop-value = value { $value }
stop-value-of = value { $value }, of “{ $rule }”
stop-never = never held
note-stops = A rule is asked once a second over the time that it names, from the beginning of the load on; the first that holds ends the run at once.

## Axes and labels

axis-time = Time since the scenario began (min:s)
axis-iterations = Iterations started a second (/s)
axis-ended = Iterations ended a second (/s)
axis-times = { $measure ->
    [service] Service time (ms)
   *[response] Response time (ms)
}
axis-times-ms = { $measure ->
    [service] Service time (ms)
   *[response] Response time (ms)
}
axis-percentile = Percentile; each further nine takes the same room
axis-share-below = Calls that took at most this long (%)
axis-share-calls = Share of calls (%)
axis-failures = Failures in { $width }
axis-cpu = Processor time (%)
axis-used = Used of what the limit allows; 100% is the limit itself
label-planned = planned
label-started = started
label-ended-well = ended well
label-failed = failed
label-max = greatest
label-service = service
label-measure = { $measure ->
    [service] service
   *[response] response
}
label-limit = limit
label-no-scale = no share of the limit to draw

## Verdict strip

fig-strip-caption = How much of each limit was used
fig-strip-seen = { $met } met, { $not_met } not met, { $cannot_tell } cannot be told.
fig-strip-means-over = Farthest over its limit is { $requirement } in { $scope }, at { $part } of what is allowed.
fig-strip-means-under = No measured value is beyond its limit; closest is { $requirement } in { $scope }, at { $part } of what is allowed.
fig-strip-means-none = No requirement has a value that could be set against its limit.
fig-strip-reading = The dot is the measured value, the bar its interval. Ceilings show value ÷ limit, floors limit ÷ value, and shares of calls how much of the permitted exceptions was used. Beyond 200% an arrow gives the number.
fig-strip-reading-cells = A cell holds the verdicts of a requirement in one workload, with their numbers where there are several places or repetitions: ✗ not met, ? cannot tell, ✓ met. Below them the tick is the limit and the dot the place that used most of it, with its interval.

## Definitions

definitions-title = Definitions
term-iteration = Iteration
    .means = One execution of the scenario’s steps, start to end.
term-exchange = Exchange and leg
    .means = A request and what follows from it. A plain request has one leg, its answer; an exchange answered in parts has several, each timed by itself.
term-open = Open load
    .means = Iterations start by the plan, however slow the answers are. The system cannot slow the demand down.
term-closed = Closed load
    .means = A fixed number of virtual users, each waiting for its answer before it goes on. When the system slows down, so does the demand.
term-intended = Intended start
    .means = The moment at which the plan says an iteration begins.
term-response = Response time
    .means = From the intended start to the end. Includes all waiting, also for a free connection. Exists in open loads only.
term-service = Service time
    .means = From the actual start to the end. In a closed load it is the only time there is: the wait that a slow answer causes for others is not in it.
term-lateness = Lateness
    .means = From the moment at which a start was possible to the start itself: the load generator’s own delay, which speaks about the measurement and not about the system.
term-throughput = Throughput
    .means = Iterations that ended well, a second.
term-percentile = Percentile
    .means = p95 is the least recorded time that 95% of the calls did not exceed (nearest rank, Hyndman–Fan type 1): a time that really occurred, up to the histogram’s width of 0.1%. Percentiles are read from merged histograms and never averaged.
term-interval = Interval
    .means = The range that contains the true value in 95% of such measurements; at a verdict, each end by itself is wrong in 5% of them. It covers chance within this run, not differences between runs.
term-design-effect = Design effect
    .means = How many times fewer independent calls there were than calls, because neighbouring calls share their fate. Estimated from how they spread over time, on the safe side; intervals are widened by it.
term-phases = Phases
    .means = Idle, ramp, warm-up, hold, drain, recovery. Only the hold is judged, unless a requirement says otherwise.
term-outcomes = Ended well, failed
    .means = A call ended well when its answer came in time and every check held. Failed are: refused, reset, time-out, broken off, wrong status, wrong answer, fault, missing. What the study or the generator spoiled is counted apart, on neither side.
term-validity = Validity
    .means = Whether the measurement may be judged at all. Comes before any verdict: valid, questionable, invalid.
term-verdicts = Verdicts
    .means = Met: the run shows that it holds. Not met: the run shows that it does not. Cannot tell: the run does not decide it, and the reason stands beside it.
term-finding = Finding
    .means = What a rule saw in the data, with its numbers. Findings have ids such as F1, which figures and tables refer to.

## Results

scenario-word = { $scenario ->
    [nominal] nominal load
    [peak] peak load
   *[other] { $scenario }
}
load-scenario-title = Load test at { $title } ({ $scenario })
results-title = Results: { $scenario }
results-intro = { $measure ->
    [service] This is a closed load: all times in this chapter are service times, measured from the actual start.
   *[response] Times in this chapter are response times, measured from the intended start, unless they say service time.
}
verdicts-title = Verdicts and their reasons
verdicts-none = No requirement applies to this scenario.
table-verdicts-full = Verdicts in { $scenario }
note-design-effect = Behind: number of calls or samples that the value rests on. A design effect of 4 means that they count as a quarter as many independent ones.
times-title = { $measure ->
    [service] Service times
   *[response] Response times
}
times-closed = Service times only: in a closed load there is no intended start. While one answer was slow, its user asked for nothing, so slow stretches are under-represented.
times-no-hold = No hold took place in this scenario, so no times are judged.
times-judged-from = Step { $step }: the first { $from } are not judged.
table-times = { $measure ->
    [service] Service times in { $scenario }, judged part
   *[response] Response times in { $scenario }, judged part
}
note-times = Under a value stands its 95% interval. { $measure ->
    [service] All are service times.
   *[response] All are response times.
} Calls that ended well, failed calls and all calls are populations of their own.
note-few = “–”: too few calls carry this percentile. It takes { $p95 } calls for p95, { $p99 } for p99, { $p999 } for p99.9 before an interval has an upper end.
note-no-interval = A value without an interval: too few independent calls lie beyond it to tell one.
note-bound = “≥”: the value stands on the time-out, so the true one is at least that.
throughput-title = Throughput
throughput-none = No iteration ended in a whole second of this scenario, so there is no throughput to draw.
leg-title = { $what } over time and in distribution
leg-no-times = No call of { $what } ended well in the judged part, so there are no times to draw.
leg-too-few = { $missing_n ->
    [one] One figure is left out, because too few calls ended well to carry it.
   *[other] { $missing } figures are left out, because too few calls ended well to carry them.
}
legs-not-drawn = { $left_n ->
    [one] One further exchange is in the tables only.
   *[other] { $left } further exchanges are in the tables only.
}
leg-again-title = Over time and in distribution
leg-again = The times of this repetition are drawn beside those of { $first }, in its chapter. Their numbers, of each second and in distribution, are in { $files }.
errors-title = Failures
errors-none = Every call of this scenario ended well.
table-classes = What did not end well in { $scenario }, all steps
note-classes = Shares are of all calls of that exchange and leg. What stands on the account of study, generator or the end of the run does not count against the system.
table-samples = Samples of failures in { $scenario }
note-samples = As seen on the wire, cut to 300 characters; at most { $most }. More are in the evidence.
samples-none = No sample of a failure was kept.
findings-title = Findings
findings-none = No rule found anything in this scenario.

fig-throughput-caption = Throughput over time, { $scenario }
fig-throughput-seen = In the judged part { $rate } ended well; single seconds lay between { $least } and { $greatest }. { $failed_n ->
    [0] No iteration failed.
    [one] One iteration failed.
   *[other] { $failed } iterations failed.
}
fig-throughput-seen-short = In the judged part { $rate } ended well; it holds no whole second. { $failed } failed.
fig-throughput-means-all = All that was asked for ended well: over the judged part no work piled up.
fig-throughput-means-carried = What ended well differs by { $difference } from what was asked for: over the judged part no work piled up.
fig-throughput-means-piled-up = Work piled up over the judged part: what came at its beginning was answered, and ever more of what came later was still waiting.
fig-throughput-means-short = { $share } of what was asked for did not end well in the judged part: it failed, was not started, or was still open at its end.
fig-throughput-means-closed = This is the throughput of { $users } users who wait for their answers. It is not a capacity: more users may give more.
fig-throughput-means-none = Nothing was asked for by rate, so there is nothing to compare it with.

fig-over-time-caption = { $measure ->
    [service] Service times of { $what } over time, { $scenario }
   *[response] Response times of { $what } over time, { $scenario }
}
fig-over-time-seen = The median of a usual judged second is { $median }. The slowest call took { $greatest }, in the second at { $when }.
fig-over-time-seen-none = No call ended well in a whole judged second.
fig-over-time-means-no-limit = No requirement limits these times; the figure shows when slow calls happened.
fig-over-time-means-below = No judged second holds a call above { $limit }.
fig-over-time-means-above = { $above } of { $seconds } judged seconds hold at least one call above { $limit }. Whether that is more than the requirement allows is its verdict’s to say.
fig-over-time-means-none = Nothing can be said about times.
fig-over-time-reading = Calls that ended well, by the second of their intended start; each line is the percentile of that second alone. Dots are each second’s slowest call.
fig-over-time-reading-limit = Where it is hatched, a requirement does not want calls to be.
fig-over-time-reading-window = Calls that ended well, by the second of their intended start. Dots are each second’s slowest call. With about { $usual } calls a second a second has no percentile of its own: lines with a length of time beside their name are of windows so long ({ $width }), read from counts by size and by the second of the end, and so up to 12% off.
fig-over-time-reading-few = Calls that ended well, by second. Dots are each second’s slowest call. With about { $usual } { $usual_n ->
    [one] call
   *[other] calls
} a second, percentiles that fewer than one call lies beyond are not drawn.
fig-heat-caption = { $measure ->
    [service] Every call of { $what } by time and service time, { $scenario }
   *[response] Every call of { $what } by time and response time, { $scenario }
}
fig-heat-seen = Eight in ten of { $count } calls took between { $low } and { $high }; the slowest took { $greatest }.
fig-heat-means-one = The times form one group without gaps.
fig-heat-means-outliers = The times form one group; { $outside_n ->
    [one] one call lies apart from it.
   *[other] { $outside } calls lie apart from it.
}
fig-heat-means-groups = The times form { $groups } separate groups: calls met different conditions, and a mean over all describes none of them.
fig-heat-reading = Calls that ended well, by the second of their end. A column is { $width } wide; the darker a cell, the more of its column’s calls took that long. Single slow calls stay visible.
fig-curve-caption = { $measure ->
    [service] Percentiles of the service times of { $what }, { $scenario }
   *[response] Percentiles of the response times of { $what }, { $scenario }
}
fig-curve-seen = The median is { $median }; at { $highest } it is { $value }, { $factor } times as long.
fig-curve-means-closed = These are service times of a closed load: what users would have waited while others were served is not in the upper percentiles.
fig-curve-means-waited = At p{ $percentile } calls took { $response } from their intended start and { $service } from their actual start: calls waited before they could be sent, and a measurement from sending would not have seen it.
fig-curve-means-together = Response and service times lie together: calls were sent when they were due, and what took time happened after sending.
fig-curve-reading = The curve stops where fewer than { $beyond } calls lie beyond. The band is the 95% interval where one can be told.
fig-ecdf-caption = { $measure ->
    [service] Share of calls of { $what } within a service time, { $scenario }
   *[response] Share of calls of { $what } within a response time, { $scenario }
}
fig-ecdf-seen = { $share } of { $count } calls that ended well took less than { $limit }.
fig-ecdf-means = A limit ten percent lower would be kept by { $low }, one ten percent higher by { $high }: that is how much the choice of { $limit } matters.
fig-ecdf-seen-no-limit = Nine in ten of { $count } calls that ended well took between { $low } and { $high }.
fig-ecdf-means-no-limit = No requirement limits these times in this scenario, so the curve decides nothing.
fig-ecdf-reading = Dashed lines are limits: the time, and the share of calls that must keep it. The figure holds calls that ended well; requirements may count failures against the share.
fig-ecdf-reading-no-limit = The figure holds calls that ended well.
fig-again-reading = Dashed lines named #2 and on are the scenario’s other repetitions.
fig-histogram-caption = { $measure ->
    [service] Distribution of the service times of { $what }, { $scenario }
   *[response] Distribution of the response times of { $what }, { $scenario }
}
fig-histogram-seen = Most frequent are times from { $low } to { $high }: { $share } of the calls. The mean is { $mean }, the median { $median }.
fig-histogram-means-skewed = The mean lies { $excess } above the median: slow calls pull it up, so percentiles describe these calls better than the mean does.
fig-histogram-means-far = The mean is { $factor } times the median: a part of the calls was far slower than the rest, so the mean describes neither.
fig-histogram-means-even = Mean and median differ by { $difference }, so either describes the middle of these calls; neither describes the slow ones.
fig-histogram-reading = Each bar is 12% wider than the one before: 20 bars to a factor of ten.
fig-errors-caption = Failures over time by class, { $scenario }
fig-errors-seen = { $failed_n ->
    [one] One call failed: { $class }.
   *[other] { $failed } calls failed; the most frequent class is “{ $class }” with { $count }.
}
fig-errors-means-spread = Failures are spread over { $bars } stretches of { $width }: no single disturbance explains them.
fig-errors-means-peak = { $share } of all failures fall into { $width } at { $when }: look for what happened then.
fig-errors-reading = By the second in which the call ended; all exchanges of the scenario together.

## System

system-title = System behaviour
system-intro = What was watched while the load went on. The judged part is what stands between warm-up and drain.
system-nothing = Nothing was watched: the study names no monitor, or none gave a sample. What limited the system cannot be told.
system-again = The course of every series of this repetition is in the table; its figures would be those of { $first } once more. All samples are among the CSV files.
table-resources-by-workload = Use of resources by workload
note-resources-by-workload = Mean over the judged parts, all repetitions together, and the greatest sample under it. “Before the load” is the mean of the phases without load, where the study has any.
table-metrics = Watched series during the judged part of { $scenario }
note-metrics = Missing counts samples that should have come and did not. Growth is that of counters, first to last sample.
table-events = Events during the run
fig-cpu-caption = Processor time of { $instance }, { $scenario }
fig-cpu-seen = In the judged part the processor was busy { $mean } of the time on average and at most { $max }, over { $samples } samples.
fig-cpu-stolen = Besides that the hypervisor gave { $mean } of the time on average to other guests.
fig-cpu-means-busy = At { $limit } and more the processor is a likely limit of these results: times include waiting for it.
fig-cpu-means-stolen = Busy and stolen time together reach { $limit }: the processor is a likely limit of these results.
fig-cpu-means-free = The mean stays below { $limit }, so nothing here marks the whole processor as the limit. A single full core hides in a mean over all.
fig-cpu-means-none = No sample falls into the judged part, so nothing can be said about it.
fig-cpu-reading = All cores of the machine together are 100%. Busy is user and system time, in tables and requirements as well. Waiting for I/O is idle time that a disk or network could have shortened; stolen time, which a hypervisor gave to other guests, is a line of its own.
metric-word = { $metric ->
    [requests] Requests
    [handed] Requests matched
   *[other] { $metric }
}
unit-cores = cores
fig-multiples-seen-none = No sample falls into the judged part.
fig-multiples-means-grew = { $instance } ended { $change } above where it began, over { $length }. Whether it would go on cannot be told from so short a time.
fig-multiples-means-steady = { $instance } changed by { $change } from the first third to the last, over { $length }. A slow leak would not show in that time.
fig-multiples-means-none = Nothing can be said about it.

## Figures of watched series

panel-max = at most { $max }
fig-cpu-finds = { $samples_n ->
    [0] Processor of { $instance }: nothing was sampled in the judged part
   *[other] The processor of { $instance } was busy { $mean } on average, { $max } at most
}
fig-heap-what = Heap of each Java virtual machine ({ $monitor }), { $scenario }: maximum, committed, used
fig-heap-name = { $part ->
    [used] used
    [committed] committed
    [max] maximum
    [left] left after a collection
   *[full] full collection
}
fig-heap-finds = { $instance } uses at most { $part } of its { $max } of heap
fig-heap-finds-unbounded = { $instance } uses at most { $used } of heap
fig-heap-finds-none = Heap of { $instance }: nothing was sampled in the judged part
fig-heap-seen = { $instance } had at most { $used } in use in the judged part and { $committed } committed; collections left at most { $left }. { $full_n ->
    [0] There was no full collection.
    [one] One sample has a full collection.
   *[other] { $full } samples have full collections.
}
fig-heap-means = { $machines_n ->
    [one] Collections left room in { $instance }: at most { $part } of its maximum was in use after one.
   *[other] Of { $machines } machines collections left least room in { $instance }: at most { $part } of its maximum was in use after one.
}
fig-heap-means-near = Collections left { $part } of the maximum of { $instance } in use: that is hardly any room, and may limit what was measured.
fig-heap-means-none = No heap was collected in the judged part, so nothing tells garbage from what is kept.
fig-heap-reading = What counts is the line that collections leave, not the peaks: between two collections garbage waits. Ticks at the bottom are full collections; all panels share one scale, and shaded phases are not judged.
fig-memory-what = Memory of processes ({ $monitor }), { $scenario }: bound, reserved, used
fig-memory-name = { $part ->
    [used] used
    [reserved] reserved
   *[limit] bound
}
fig-memory-finds = { $instance } uses at most { $part } of the { $limit } that it may have
fig-memory-finds-unbounded = { $instance } uses at most { $used } of memory
fig-memory-seen = { $instance } had at most { $used } in use in the judged part and { $reserved } reserved.
fig-memory-seen-used = { $instance } had at most { $used } in use in the judged part.
fig-memory-machine = No control group bounds { $instances }; the bound drawn is the machine’s memory.
fig-memory-beyond = { $instance } has { $reserved } of addresses reserved, more than it may ever have of memory: no level to draw.
fig-memory-means = Nearest to its bound is { $instance }, which reached { $part } of it: the bound is not what limits these results.
fig-memory-means-near = { $instance } reached { $part } of its bound: this may limit what was measured.
fig-memory-means-unbounded = No bound below the machine’s memory is set: what is left of that is the room that these processes have.
fig-memory-reading = The system does not run on a Java virtual machine; in place of maximum, committed and used heap stand the bound, the reserved addresses and the used memory of its processes. The scale is one of factors, since addresses that are reserved and never touched take no memory.
fig-gauge-what = { $metric } of { $instances_n ->
    [one] one instance
   *[other] { $instances } { $of ->
        [series] series
       *[instances] instances
    }
} ({ $monitor }), { $scenario }
fig-gauge-finds = { $instances_n ->
    [one] { $metric } of { $instance }: { $mean } on average
   *[other] { $metric } is highest in { $instance }: { $mean } on average
}
fig-gauge-finds-none = { $metric }: nothing was sampled in the judged part
fig-gauge-seen = { $instances_n ->
    [one] { $instance } has { $mean } on average and { $max } at most in the judged part.
   *[other] Of { $instances } { $of ->
        [series] series
       *[instances] instances
    } { $instance } has the most: { $mean } on average and { $max } at most in the judged part.
}
fig-gauge-seen-idle = { $instances_n ->
    [one] { $instance } has { $mean } on average and { $max } at most in the judged part, against { $idle } before the load.
   *[other] Of { $instances } { $of ->
        [series] series
       *[instances] instances
    } { $instance } has the most: { $mean } on average and { $max } at most in the judged part, against { $idle } before the load.
}
fig-gauge-means-near = { $instance } reaches { $part } of its bound of { $ceiling }: this may limit what was measured.
fig-gauge-means-ceiling = Nearest to its bound is { $instance }, whose peak reaches { $part } of { $ceiling }; the bound is not what limits these results.
fig-gauge-means-spike = The peak of { $instance } at { $when } is { $factor } times its mean: single spikes, not the level, make it.
fig-gauge-means-even = No instance’s peak is more than { $factor } times its own mean: use is even over the judged part.
fig-gauge-means-small = No peak is more than { $height } above its mean: at a use this low, a factor between the two says nothing.
fig-gauge-means-zero = In the judged part it stayed at zero.
fig-gauge-reading = All panels, in all scenarios, share one scale; shaded phases are not judged, vertical dashes are events.
fig-gauge-reading-idle = The dotted line is the mean of the phase without load.
fig-gauge-reading-left = { $left_n ->
    [one] One further instance is in the table of series only.
   *[other] { $left } further instances are in the table of series only.
}
fig-mirror-what = { $first } and { $second } ({ $monitor }), { $scenario }
fig-mirror-finds = { $instance }: at most { $first_max } ({ $first }) and { $second_max } ({ $second })
fig-mirror-seen = In the judged part { $instance } moved the most: on average { $first_mean } ({ $first }) and { $second_mean } ({ $second }).
fig-mirror-means = “{ $more }” is { $factor } times “{ $less }”. No bound of the device is known, so this describes and limits nothing.
fig-mirror-means-one = Only “{ $more }” moved anything; “{ $less }” stayed at zero.
fig-mirror-means-nothing = In the judged part neither direction moved anything.
fig-mirror-reading = { $first } stands above the axis, { $second } below it; both count upwards from the axis.
fig-overview-what = All else that { $monitor } watched, { $scenario }
fig-overview-finds = { $series } moved furthest from its level before the load
fig-overview-finds-none = { $count_n ->
    [one] One further series
   *[other] { $count } further series
}, without a level before the load
fig-overview-seen = Of { $metrics } further { $metrics_n ->
    [one] metric
   *[other] metrics
}, { $series } moved furthest under load: from { $idle } to { $mean } on average.
fig-overview-seen-no-idle = { $metrics_n ->
    [one] One further metric
   *[other] { $metrics } further metrics
} changed in this scenario; there is no phase without load to compare with.
fig-overview-means-ceiling = Of those that have a bound, { $series } came nearest to it: { $part }.
fig-overview-means-none = None of these has a bound, so they describe the system and explain no limit by themselves.
fig-overview-reading = Each panel has its own scale from zero. The dotted line is the mean of the phase without load. Series that never changed are in the table below only.
fig-overview-reading-several = Each panel has its own scale from zero and all instances in it; colours are those of the other figures, and grey where there are many. At the right of a title stand the highest instance and its greatest value. Series that never changed are in the table below only.
course-constant = never changed
course-none = no sample
col-course = Course
col-idle = Before the load
col-needs = Needs
topology-generator = load generator
topology-threads = { $threads } { $threads_n ->
    [one] thread
   *[other] threads
}
fig-topology-what = Instances of the system and what each needs
fig-topology-finds = { $instances_n ->
    [one] One instance, met by the load at { $entries }
   *[other] { $instances } instances, met by the load at { $entries }
}
fig-topology-seen = The study names { $instances } { $instances_n ->
    [one] instance
   *[other] instances
} and { $edges } { $edges_n ->
    [one] dependency
   *[other] dependencies
} between them.
fig-topology-means-shared = Generator and system shared one machine: what one used was missing to the other.
fig-topology-means-apart = The load came from a machine of its own, so the generator took nothing from the system.
fig-topology-reading = An arrow points to what is needed. The coloured edge is the instance’s colour in all figures.

## What figures find

fig-strip-finds-over = { $requirement } in { $scope } is farthest over its limit, at { $part }
fig-strip-finds-under = Every measured value keeps its limit; { $requirement } comes closest, at { $part }
fig-strip-finds-none = No measured value can be set against its limit
fig-plan-finds-all = Every planned start was made
fig-plan-finds-short = { $share } of the planned starts were never made
fig-plan-finds-closed = { $started } iterations were started, as the answers allowed
fig-throughput-finds-carried = { $rate } ended well: what was asked for
fig-throughput-finds-short = { $rate } ended well, { $share } less than was asked for
fig-throughput-finds-closed = { $rate } ended well
fig-over-time-finds-below = No judged second holds a call above { $limit }
fig-over-time-finds-above = Calls above { $limit } in { $above } of { $seconds } judged seconds
fig-over-time-finds-level = The median second took { $median }, the slowest call { $greatest }
fig-over-time-finds-none = No call of the judged part ended well
fig-heat-finds-one = One group of times: eight in ten calls took { $low } to { $high }
fig-heat-finds-groups = Times fall into { $groups } groups
fig-curve-finds = { $highest } is { $factor } times the median
fig-ecdf-finds = { $share } of the calls stay within { $limit }
fig-ecdf-finds-no-limit = Nine in ten calls took { $low } to { $high }
fig-histogram-finds = Most frequent are { $low } to { $high }
fig-errors-finds = { $failed_n ->
    [one] One failure: { $class }
   *[other] { $failed } failures, most of them “{ $class }”
}

## Comparison

comparison-title = Comparison
comparison-runs = Runs against each other
comparison-base = Base
comparison-intro = Different means that the whole interval of the ratio lies outside the band, equivalent that it lies inside. Equality is never concluded from a difference that was not found.
comparison-verdict = Against { $base }, of { $all } rows { $different } differ, { $equivalent } are equivalent within { $band }, { $open } cannot be told and { $apart } must not be compared.
comparison-single = Where a side was run once only, variation from run to run is not in its interval.
comparison-not-comparable = { $base } and { $other } must not be compared as wholes: they differ in { $aspects }.
aspect-word = { $aspect ->
    [load] load
    [data] data
    [validity] validity
    [parts] what runs at the same time
    [length] length
    [system] system
    [store] store
    [host] machine
    [generator] load generator
    [study] other parts of the study
   *[other] { $aspect }
}
row-verdict-word = { $verdict ->
    [different] different
    [equivalent] equivalent
    [cannot_tell] cannot tell
    [not_comparable] not comparable
   *[other] { $verdict }
}
forbids-yes = forbids it
forbids-no = noted
table-differences = Circumstances that differ
row-runs-needed = { $runs_n ->
    [one] one run a side needed
   *[other] about { $runs } runs a side needed
}
note-differences = What forbids a comparison makes every ratio in its scope meaningless; the rest is noted, because it may explain a difference.
table-matrix = { $name }: each row on every side
note-matrix = Under a change stands its 95% interval; the thin line in a bar is what rounding of the values leaves open. “≥” marks a lower bound: calls were cut off at the time-out.
history-title = Over runs
col-compared = What
col-statistic = Statistic
col-change = Change
col-side = Side
col-other = Other
col-aspect = Circumstance
col-forbids = Comparison
col-ratio = Ratio
col-counted = Counted
col-expected = Rate × time
col-apart = Apart
col-of-mean = Of the mean
axis-less = less than the base
axis-more = more than the base
axis-ratio = Ratio to the base, on a log scale
axis-runs = Run, oldest first
axis-in-flight = Iterations in flight, mean
axis-of-mean = Part of the replicas’ mean
axis-phase = Time since the period began (s)
axis-users = Virtual users
axis-offered = Offered load (/s)
axis-throughput = Throughput (/s)
axis-time-ms = Time of a call (ms)
axis-use = Use of the whole (%)
label-counted = as the generator counted
label-expected = rate × time
fig-forest-what = { $other } against { $base }
fig-forest-finds = { $different } of { $all } rows differ between { $other } and { $base }
fig-forest-seen = { $different } differ, { $equivalent } are equivalent, { $open } cannot be told, { $apart } must not be compared.
fig-forest-means-widest = Of what differs, { $what } differs most: { $change }. The band of equality is ±{ $band }.
fig-forest-means-equal = Every row is equivalent within ±{ $band }: a change larger than that would have shown.
fig-forest-means-open = Nothing is shown to differ, and { $open } { $open_n ->
    [one] row is
   *[other] rows are
} not shown to be equal either.
fig-forest-reading = The dot is the ratio, the line its 95% interval, the shaded band ±{ $band } counts as equal. On the log scale half and twice stand equally far from 1.
fig-history-what = { $what } over { $runs } runs
fig-history-finds = { $what } changed its level { $shifts_n ->
    [one] once
   *[other] { $shifts } times
}
fig-history-finds-none = { $what } kept its level over { $runs } runs
fig-history-seen = { $runs } runs, from { $first } in the oldest to { $last } in the newest; { $shifts } { $shifts_n ->
    [one] level shift was
   *[other] level shifts were
} found.
fig-history-means = The largest begins with { $run }: from { $before } to { $after }, a change of { $change }. What changed between that run and the one before should explain it.
fig-history-means-none = No level shift of 5% or more was found; smaller ones may be hidden in the scatter.
fig-history-reading = A dot is a run, the thick line the mean of a level, a dashed line where one level ends.
fig-history-reading-left = A dot is a run, the thick line the mean of a level, a dashed line where one level ends. Left out: { $left }, since load or data differ from those of the newest run, or since there is no such value.

## Across levels, replicas and periods

stability-title = Stability
stability-intro = Whether the system held over time: drifts, leaks, stalls, drops, spikes, and whether it came back to where it was. Each sentence names its finding.
stability-none = None of these rules found anything in the judged parts.
stability-length = The judged parts lasted { $length } in all. What develops more slowly than that, or comes more rarely, is not shown either way.
folded-slowest = Slowest call of a second, { $exchange }
folded-ended = Calls that ended well in a second, { $exchange }
levels-title = Across levels of load
fig-response-load-what = Times of { $what } against load
fig-response-load-finds = { $percentile } grows { $factor }-fold from the least load to the greatest
fig-response-load-seen = Over { $levels } levels { $percentile } goes from { $low } to { $high }.
fig-response-load-means-bend = It is { $factor } times as long at the greatest load: waiting is part of it, and more load would make it grow faster than the load.
fig-response-load-means-flat = It is { $factor } times as long at the greatest load: within these levels load hardly adds waiting.
fig-levels-reading = A dot is a level, its line the 95% interval where there is one.
fig-response-throughput-what = Times of { $what } against throughput
fig-response-throughput-finds = The most that ended well is { $rate }, at { $level }
fig-response-throughput-seen = At the greatest load, { $level }, { $rate } ended well and { $percentile } was { $high }.
fig-response-throughput-means-back = Throughput falls again at the greatest load while times grow: the system is past its capacity there.
fig-response-throughput-means-on = Throughput still grows with the load, so these levels do not show where capacity ends.
fig-response-throughput-reading = Points follow the load; beside each stands its level. Where the path turns back, more load brings fewer answers.
fig-use-what = Use of resources against throughput
fig-use-finds = { $resource } would be full at { $rate }
fig-use-seen = { $resource } was used at most { $most }, at up to { $rate }.
fig-use-means = If use goes on growing as it did between these levels, { $resource } is the first of these to be full, at { $rate }. This is a line drawn onward, not a measurement: other limits may come first.
fig-use-finds-far = No resource is near its whole: { $resource } reached { $most }
fig-use-means-far = The first of these to be full would be so at more than { $factor } times the highest of these loads. A line drawn so far says nothing: what limits the system there was not seen.
fig-use-reading = Dots are levels, dotted lines are fitted through them by least squares, at most to twice what was measured.
fig-little-what = Little’s law: what was in flight, counted two ways
fig-little-finds-same = The two counts agree
fig-little-finds = The two counts differ by at most { $apart }
fig-little-seen = They are furthest apart in { $scope }: { $counted } as counted, { $expected } from rate and time.
fig-little-means-close = Within { $limit }, what the edges of a step explain: rates, times and concurrency agree with each other.
fig-little-means-apart = More than { $limit }: part of the time in flight is not in the recorded times, or the step was not steady. The table of signs says whether that voids it.
fig-little-reading = In any step the mean number in flight is the rate times the mean time. The percentage at the right is how far the two are apart.
fig-skew-what = What each replica carries, { $scenario }
fig-skew-finds = { $instance } carries { $factor } times the mean in { $what }
fig-skew-seen = Furthest from an even share is { $what }: { $instance } has { $level }, { $factor } times the mean of its replicas.
fig-skew-means-uneven = From { $limit } times the mean on, replicas do not share the work evenly; the fullest of them sets the limit of all.
fig-skew-means-apart = One lies { $limit } times the mean or more, but not so steadily that a finding says so: chance, or a metric that does not follow the work.
fig-skew-means-even = All are below { $limit } times the mean: the replicas share the work.
fig-skew-reading = 1 is the mean of the replicas. The number at the right is the greatest divided by the mean.
fig-folded-what = { $what } folded at { $period }, { $scope }
fig-folded-finds = Every { $period } it goes to { $factor } times its usual level
fig-folded-seen = Over { $periods } periods it is furthest off { $phase } into the period, at { $factor } times its usual level.
fig-folded-means = What comes at the same moment of every period has a clock of its own: a timer, a collection, a checkpoint. Chance would have been averaged away.
fig-folded-reading = All periods laid over each other: the line is their mean, the band reaches from the least to the greatest.

## Generator

generator-title = The generator’s clean bill
generator-intro = A load generator that is late, starved or out of sockets measures itself. These signs were looked at before anything was judged.
generator-no-signs = No sign was looked at, because no step with load took place.
table-generator-series = What the generator watched of itself during the judged part of { $scenario }
generator-no-seconds = The generator recorded nothing about itself, so its own processor use cannot be shown.
generator-seconds = It ran { $threads } { $threads_n ->
    [one] thread
   *[other] threads
}; in its busiest second they used { $busiest } of their processor time. At most { $in_flight } iterations were in flight on average over a second, and { $waiting_n ->
    [0] no start waited for a connection.
    [one] at most one start waited for a connection.
   *[other] at most { $waiting } starts waited for a connection.
}
generator-sources = The local ports of one address did not suffice: connections came from { $addresses } as well.
generator-ceiling = Before the run the generator sent up to { $ceiling } in time to a target that does nothing, with { $threads } { $threads_n ->
    [one] thread
   *[other] threads
} and { $connections } connections.
table-signs = Signs of validity with their thresholds
note-signs = “–” means that there is no such threshold, or nothing was measured. A sign of one step concerns the verdicts of that step. Signs of one kind and state share a row, which has the worst of them; “result.json” has each.
sign-lateness = { $scope }: the generator started late; p99 of its lateness is { $value } (questionable above { $questionable }, invalid above { $invalid }).
    .name = Lateness of starts, p99
sign-lost_starts = { $scope }: the generator lost { $value } of the intended starts (questionable above { $questionable }, invalid above { $invalid }).
    .name = Intended starts lost by the generator
sign-run_queue = { $scope }: the generator’s threads waited { $value } of the time for a processor (questionable above { $questionable }, invalid above { $invalid }).
    .name = Run-queue delay of the generator
sign-foreign = { $scope }: other programs used { $value } of the machine’s processors (questionable above { $questionable }, invalid above { $invalid }).
    .name = Other programs on the processors
sign-steal = { $scope }: { $value } of processor time was stolen by other machines on the same host (questionable above { $questionable }, invalid above { $invalid }).
    .name = Stolen processor time
sign-resources = { $scope }: the generator ran out of descriptors, ports or memory { $count_n ->
    [one] once
   *[other] { $count } times
}.
    .name = Descriptors, ports, memory
sign-cores_full = { $scope }: the generator used { $value } of its processor time; throughput of this closed load is a lower bound.
    .name = Generator’s cores full
sign-overloaded = { $scope }: in { $value } of the seconds a thread of the generator had no time left while arrivals waited for a connection (questionable above { $questionable }); part of that waiting is the generator’s own.
    .name = Generator full while arrivals waited
sign-rate = { $scope }: { $planned } were planned and { $ended } ended; { $found ->
    [none] no second of this load was started in time, so no rate was clean. “loadproof ceiling” finds the highest that this machine can send.
    [planned] other seconds were in time at { $clean }, so the generator was not late because of the rate: something else held it up.
   *[below] the highest rate of one second that was started in time is { $clean }: at least that would have been clean.
}
    .name = Highest rate in time
sign-instance_lost = { $scope }: instance { $instance } { $kind ->
    [gone] ended
    [restart] was restarted
   *[other] was lost
} while it was measured.
    .name = Instance lost or restarted
sign-identity = { $scope }: instance { $instance } is not the one that was meant.
    .name = Identity of the target
sign-unanswered = { $count_n ->
    [0] The run ended before any call was answered: nothing shows that the load reached the system.
   *[other] Not one of { $count } calls got anything that could be read ({ $classes }): nothing shows that the load reached the system.
}
    .name = Anybody answered
sign-killed = The run was killed: it has no ending of its own.
    .name = Run ended by itself
sign-little = { $scope }: counts, times and concurrency differ by { $value } from what Little’s law allows (invalid above { $invalid }).
    .name = Little’s law
sign-open_iterations = { $scope }: { $count } { $count_n ->
    [one] iteration was
   *[other] iterations were
} started and not seen to end.
    .name = Iterations seen to end
sign-unsound_rows = { $count } recorded { $count_n ->
    [one] row does
   *[other] rows do
} not hold together and { $count_n ->
    [one] is
   *[other] are
} left out.
    .name = Recorded rows sound
sign-clock_step = { $scope }: the wall clock was set while the load ran.
    .name = Clock step
sign-books = { $scope }: the books of iterations do not balance.
    .name = Books balance
sign-altered_evidence = Evidence is missing, cannot be read, or was changed after it had been sealed: { $files }.
    .name = Evidence unaltered
sign-torn_evidence = { $bytes } of torn recording were left out.
    .name = Evidence whole
sign-evidence_lost = Part of what was measured could not be written.
    .name = Evidence written

## Conclusions

conclusions-title = Conclusions and recommendations
conclusion-title = Conclusion
conclusion-load = In step { $step }, { $rate } ended well; of { $started } started iterations { $failed } failed.
conclusion-times = { $what } took { $mean } on average, 90% within { $p90 }, { $max } at most.
conclusion-no-hold = No hold took place, so nothing is concluded about load.
conclusion-verdicts = { $all_n ->
    [one] Of one verdict
   *[other] Of { $all } verdicts
} { $met } { $met_n ->
    [one] is
   *[other] are
} met, { $not_met } not met and { $open } cannot be told.
conclusion-not-met = Not met: { $list }.
conclusion-one = { $name } (measured { $measured }, limit { $limit })
recommendations-title = Recommendations
recommendations-none = No rule found anything that asks for an action.
table-recommendations = What the findings ask for
note-recommendations = Each recommendation belongs to the rule that found something; nothing else is recommended.
open-points-title = Open points
open-points-none = Every requirement could be told from this run.
open-points-first = of the first of these places
table-conclusions = What each scenario showed
note-conclusions = Loads, counts and sentences are in each scenario’s chapter, under “Conclusion”.
table-open-points = What this run does not decide, and what would

## Statistics, checks, conformance

statistics-title = Raw statistics
statistics-intro = Every table of this report as a file, with unrounded numbers and all rows.
table-tables = Tables and their files
checks-title = Checks and what was left out
checks-intro = What looked at the numbers before any sentence was written. Every rule looks at every run.
table-checks = Rules that were applied
note-checks = What each rule looks for is in the documentation under its name.
table-checks-signs = Signs of validity that were looked at
note-checks-signs = “–”: the sign had nothing to look at in this run.
checks-nothing = nothing found
checks-left-out = What this page leaves out
left-out-missing = { $missing_n ->
    [0] No value is missing in any table.
    [one] One value is printed as “–” because nothing carries it.
   *[other] { $missing } values are printed as “–” because nothing carries them.
}
left-out-thinned = { $thinned_n ->
    [one] One table is longer than the page shows; its file is whole.
   *[other] { $thinned } tables are longer than the page shows; their files are whole.
}
left-out-blocks = The profile { $profile } leaves out: { $list }.
left-out-terms = The profile has words for messages that do not exist: { $list }.
conformance-title = Profile conformance
conformance-intro = What the profile { $profile } demands, and where it stands in this report.
conformance-sum = Of { $all } demands { $met } { $met_n ->
    [one] is
   *[other] are
} answered and { $unmet } not.
conformance-why-not = Not answered: { $why }
conformance-not-answered = Not answered: no block of the profile answers it.
conformance-not-in-run = Not answered: this run has nothing for it.
table-conformance = Demands and where they stand

## Threats

threats-title = Threats to validity
threats-findings-title = Findings that change how figures are to be read
threat-single-run = One run: how much results vary from run to run is unknown, and no interval here contains it.
threat-trial = Shortened trial: phases and waits are { $factor } of their planned length, so trends, leaks and rare events are out of reach.
threat-left-out = Left out of the trial: { $text }
threat-shared-machine = Load generator and system ran on one machine and competed for its processors, memory and network.
threat-closed = Closed load: a slow answer delays its user’s next request, so slow stretches hold fewer calls than they would in production.
threat-no-study = The study could not be read: purpose, assumptions and limits in figures are missing.

## Environment

environment-title = Environment captured
environment-no-instances = No instance of the system is recorded.
environment-no-facts = No fact about machine or software was captured.
environment-stated = Stated by the author
environment-stated-note = What follows was written by the study’s author; nobody captured it, and nothing was judged by it.
table-facts-stated = Facts as stated
table-instances = Instances of the system
note-instances = Commands name secrets and never hold them. Identity is what the instance itself said when it was asked.
table-facts = Facts captured at the start and at the end
note-facts = Captured by the monitors, not typed in. “–” at the end: not captured again.

## Methods

methods-title = Methods and thresholds
method-percentile = Percentiles are nearest rank, x(⌈qN⌉), from histograms merged over seconds and threads; least and greatest times are exact.
method-histogram = Histogram buckets are at most 0.1% wide from 205 µs on and 100 ns wide below, up to one hour.
method-share = “95% below T” is judged as a share: calls above T are counted exactly while the load runs, and the count is held against the limit by exact binomial limits (Clopper–Pearson, 5% on each side).
method-design-effect = Neighbouring calls are not independent. How they spread over time gives the design effect, by which counts are divided before any interval is formed; what is not known about it widens the interval further.
method-mean = Means are judged by Student’s t over the same batches.
method-census = Greatest and least times, counts, and shares demanded at 0% or 100% are exact statements about this run and have no interval.
method-validity = Validity is decided first. A check that fails takes only the verdicts that it can have turned: a late generator makes times longer, so a limit that was kept all the same stands.
method-figures = Lines of more than 1200 points keep the first, least, greatest and last of each pixel column (M4), so no extreme is lost.
table-settings = Thresholds and choices of this version
setting-confidence = Confidence of intervals
setting-verdict_confidence = Confidence of an interval that decides a verdict
setting-wrong_verdict = Chance of a wrong verdict, each side
setting-batches = Batches for the design effect
setting-lateness_questionable = Lateness p99, questionable above
setting-lateness_questionable_share = or above this share of the median response, whichever is greater
setting-lateness_invalid = Lateness p99, invalid above
setting-lateness_invalid_share = or above this share of the median response, whichever is greater
setting-lost_questionable = Intended starts lost, questionable above
setting-lost_invalid = Intended starts lost, invalid above
setting-run_queue_questionable = Run-queue delay, questionable above
setting-run_queue_invalid = Run-queue delay, invalid above
setting-steal_questionable = Stolen processor time, questionable above
setting-steal_invalid = Stolen processor time, invalid above
setting-foreign_questionable = Processor time of other programs, questionable above
setting-foreign_invalid = Processor time of other programs, invalid above
setting-cores_full = Generator’s processor share at which a closed load is a lower bound
setting-little_invalid = Disagreement with Little’s law, invalid above
setting-samples_missing = Samples that may be missing in a judged series

## Data inventory

inventory-title = Data inventory
inventory-intro = What this report was made from. The whole evidence is in the run’s folder, with a checksum of every file in its manifest.
inventory-seed = Seed
inventory-schema = Schema of the evidence
inventory-no-data = The study uses no data set.
table-inventory = Run and evidence
note-inventory = The SHA-256 of every evidence file stands in “evidence/manifest.json”; files that no longer agree with it are named on the title.
table-data = Data sets as they were used

## Column heads

col-scenario = Scenario
col-measure = Times
col-time = Time
col-planned = Planned
col-started = Started
col-dropped = Dropped
col-ended-well = Ended well
col-failed = Failed
col-calls = Calls
col-max = Max
col-min = Min
col-mean = Mean
col-bin-least = Fastest from
col-bin-fullest = Most frequent from
col-bin-greatest = Slowest from
col-percentile = Percentile
col-response = Response
col-service = Service
col-low = Low
col-high = High
col-upto = Up to
col-from = From
col-share = Share
col-share-below = Share below
col-requirement = Requirement
col-where = Where
col-used = Used
col-verdict = Verdict
col-in-words = In words
col-measured = Measured
col-limit = Limit
col-severity = Weight
col-behind = Behind
col-design-effect = Design effect
col-reason = Reason
col-step = Step
col-length = Length
col-users = Users
col-offered = Offered
col-achieved = Achieved
col-throughput = Throughput
col-validity = Validity
col-name = Name
col-value = Value
col-meaning = Meaning
col-used-in-load = Used
col-exchange = Exchange
col-outcome = Outcome
col-class = Class
col-account = On whose account
col-sample = What was seen
col-metric = Series
col-instance = Instance
col-growth = Growth
col-samples = Samples
col-missing = Missing
col-run-time = Time in run
col-event = Event
col-subject = Subject
col-text = What happened
col-state = State
col-sign = Sign
col-questionable = Questionable above
col-invalid = Invalid above
col-address = Address
col-command = Command
col-identity = Identity
col-faults = Fault switches
col-at-start = At the start
col-at-end = At the end
col-setting = Setting
col-file = File
col-rows = Rows
col-rule = Rule
col-places = Places
col-load = Load
col-recommendation = What to do
col-because = Because of
col-content = Content
col-found = Found
col-findings = Findings
col-not-met = Not met, with limit
col-workload = Workload
col-looked = Looked at
col-against = Against
col-number = No.
col-demand = Demand
col-stands = Where it stands

## Reasons of verdicts

reason-interval_inside = The whole interval lies on the good side of the limit.
reason-interval_outside = The whole interval lies on the wrong side of the limit.
reason-interval_straddles_limit = The interval contains the limit, so the { $count } calls or samples behind it do not decide it.
reason-interval_straddles_needs = The interval contains the limit. { $count } calls do not decide it; about { $needed } more would, if the share stays as it is.
reason-change_inside = { $subject } measured against { $base }: the whole interval of the change lies on the good side of the limit.
reason-change_outside = { $subject } measured against { $base }: the whole interval of the change lies on the wrong side of the limit.
reason-change_straddles = { $subject } measured against { $base }: the interval of the change contains the limit. Longer holds, or repetitions of both, make it narrower.
# The first line of a comparison.
headline-times = { $way ->
    [slower] { $factor } times slower
   *[faster] { $factor } times faster
}
headline-percent = { $way ->
    [slower] { $change } slower
   *[faster] { $change } faster
}
headline-differs = { $count_n ->
    [0] Nothing that was recorded of the two sides differs.
   *[other] What differs: { $what }{ $left_n ->
        [0] .
       *[other] ; and { $left } more.
    }
}
headline-none = Nothing can be compared: { $what }.
headline-nothing = Neither times nor failures are shown to differ; { $open } of { $rows } rows cannot be told.
reason-compared_apart = There is too little time for an interval, but the nearest of { $parts } parts of each side lie more than twice as far apart as the parts of either side among themselves.
reason-compared_at_least = Calls of the other side were cut off at the time-out, so its value is a lower bound; even so the whole interval lies above the band of ±{ $limit }.
reason-compared_baseline = The run { $run } that this is measured against cannot be used ({ $why }).
reason-compared_base_censored = Calls of the base were cut off at the time-out: its value is a lower bound, and with it there is no ratio.
reason-compared_census = One value of each run, without an interval: one run a side tells nothing about it.
reason-compared_family = By itself this row would count as different. Among { $rows } rows, one like it turns up by chance too often (Benjamini–Hochberg).
reason-compared_changed = It changed: the interval does not contain “no change”. Whether by more than ±{ $limit } is not settled.
reason-compared_differs = Not comparable, because the two differ in this: { $what }.
reason-compared_few_calls = { $count } calls on the side with fewer are too few for this percentile; at least { $needed } are needed.
reason-compared_inside = The whole interval lies within ±{ $limit }.
reason-compared_invalid = Not comparable: { $where ->
    [base] the base’s measurement is invalid and says nothing about the system.
    [other] the other side’s measurement is invalid and says nothing about the system.
   *[both] both measurements are invalid and say nothing about the system.
}
reason-compared_no_samples = { $where ->
    [base] The base has nothing of this to compare.
    [other] The other side has nothing of this to compare.
   *[both] Neither side has anything of this to compare.
}
reason-compared_one_level = Such a level belongs to a run and would differ in the next one too; one run a side tells nothing about it. Repeat both.
reason-compared_other_censored = Calls of the other side were cut off at the time-out: its value is a lower bound, which neither proves nor excludes a difference.
reason-compared_outside = The whole interval lies beyond ±{ $limit }.
reason-compared_questionable = The whole interval lies within the band, but a measurement that is questionable proves no equality.
reason-compared_saturated = { $count } times were over one hour, and the percentile lies among them.
reason-compared_straddles = The interval reaches across an edge of ±{ $limit }, so neither a difference nor equality is proven.
reason-compared_straddles_runs = The interval reaches across an edge of ±{ $limit }; about { $needed } runs a side would settle it, if all stays as it was seen.
reason-compared_too_short = { $seconds } are too short to tell how much neighbouring seconds depend on each other; at least { $needed } are needed.
reason-compared_within_noise = The difference is no larger than what the machine itself may add to a call: the generator’s own threads were woken as late as that.
reason-compared_zero = A value of 0 has no ratio.
reason-census = Counted exactly; nothing is estimated.
reason-counts_differ = They are not equal: { $counts }. The greatest and the least are { $difference } apart.
worst-place = Worst in { $place }: { $reason }
reason-reconciled = Counted from before the load until after it, and equal: { $counts }.
reason-not_counted_before = Nothing was watched before the load began, so that it is not known what was counted already. Give the scenario an `idle` phase.
reason-not_counted_after = Nothing was watched after the last answer, so that the last of the load may not be counted. Give the scenario a `recovery`.
reason-too_few = { $count } calls are too few for this percentile; at least { $needed } are needed.
reason-far_outside = The judged part is too short to tell how much values near each other in time depend on each other, but so far beyond the limit that this does not matter: even if all { $count } went wrong together, a system that keeps the limit would show it in at most one run in ten.
reason-too_few_batches = The judged part is too short to tell how much values near each other in time depend on each other: it gives { $batches } batches that hold any, and { $needed } are needed. So { $count } values have no interval.
reason-too_short_for_memory = What is slow stays slow for so long that { $count } calls of the judged part show too few of the system's ups and downs. At least { $times } times as long is needed.
reason-bucket_straddles_limit = The limit was not counted while the load ran and falls into one bucket of the histogram, whose width decides the verdict. Run again with this limit in the study.
reason-compound_estimate = The rule joins estimates in a way for which no interval is known; only exact counts can be joined so.
reason-instance_lost = { $instance } did not stay: { $kind ->
    [gone] it ended.
    [restart] it was restarted.
    [identity] it is not the one that was meant.
   *[other] { $kind }.
}
reason-other_requirement = Follows from requirement { $requirement }.
# What a failed check of validity did to a verdict that stands beside it.
disturbed-harmless = { $check } (in { $where }) can only have { $moves ->
    [raised] raised this figure, so the verdict stands.
    [lowered] lowered this figure, so the verdict stands.
   *[either] moved this figure in a way that cannot have turned the verdict.
}
disturbed-bounded = { $check } (in { $where }) can have moved this figure by at most { $at_most }; the verdict holds without that.
disturbed-slight = { $check } (in { $where }) may have moved this figure, by too little to take a “not met” back.
limits-changed = The study sets its own limits for “{ $check }”: { $because }
reason-run_invalid = The measurement is invalid in { $where } ({ $sign }); without that the verdict might be another.
reason-run_questionable = The measurement is questionable in { $where } ({ $sign }); without that the verdict might be another.
reason-cut_short = The step was cut short, so a “met” cannot be relied on.
reason-cut_short_below = The step was cut short, and the rest of it could still have brought what is missing.
reason-edges_unknown = When the step began or ended is in no table that is left, so no rate over all of it is known.
reason-left_out = The table { $table } is missing or cannot be read, so nobody knows this figure.
reason-no_samples = Nothing was recorded that this rule looks at.
reason-not_run = The step that this rule looks at did not take place.
reason-not_yet = This version cannot decide rules of this kind.
reason-samples_missing = Too many samples of the watched series are missing.
reason-trial = Trends and volumes are not judged in a shortened trial.
reason-units_differ = The two sides of the rule have different units.
reason-drift_unclear = Neither drift nor steadiness is shown: a change of less than { $detectable } an hour would not have been detected with 80 % power (horizon { $horizon }). Hold longer. The values scattered by { $spread } of their mean (coefficient of variation).
within-drift_unclear = Neither drift nor steadiness is shown: a change of less than { $detectable } over { $horizon } would not have been detected with 80 % power. Hold longer. The values scattered by { $spread } of their mean (coefficient of variation).
within-drifts = It changed by { $hourly } over { $horizon }. That is more than the rule allows, and the interval of the slope does not contain zero. The values scattered by { $spread } of their mean (coefficient of variation).
within-steady = No drift beyond the limit: a change of { $detectable } or more over { $horizon } would have been detected (80 % power). The values scattered by { $spread } of their mean (coefficient of variation).
reason-drifts = It changes by { $hourly } an hour. Over { $horizon } that is more than the rule allows, and the interval of the slope does not contain zero. The values scattered by { $spread } of their mean (coefficient of variation).
reason-level_shift = The level shifted { $at } after the beginning, from { $before } to { $after }.
reason-no_baseline = There is no idle phase, so nobody knows the level to return to. Give the scenario “idle”.
clause-decides = “{ $clause }” decides. { $why }
clause-shown = All clauses hold; the figures are those of “{ $clause }”. { $why }
reason-steady = No drift beyond the limit: a change of { $detectable } an hour or more would have been detected (80 % power; horizon { $horizon }). The values scattered by { $spread } of their mean (coefficient of variation).
reason-too_short = { $have } were seen; a statement over time takes at least { $needed }.

## Findings

down-asked-means = The study asked for it with the fault switch `crash`: what was measured from then on is how the system bears it, and not the full system.
down-asked-do = Read from the reconciliation and from the errors of that time how the outage was borne.
finding-unknown-means = This rule has no sentence in the catalogue; its numbers are above.
finding-LITTLE =
    .seen = In { $scope } { $concurrency } iterations were in flight on average, but { $rate } at { $time } each make { $expected }: { $off } off.
    .means = Counts, times and concurrency contradict each other (Little’s law). Until that is explained, treat times and rates of this step with caution.
    .do = Find out which of counts, times and concurrency is wrong before using any of them: compare the counts with the system’s own log, and repeat the step.
finding-BACKLOG =
    .seen = In { $scope } { $offered } were offered and { $ended } were answered; the work in flight grew from { $from } to { $to } iterations.
    .means = More came than the system could do, and the rest piled up. Times grew for as long as this hold lasted, and a longer one would have given longer times; the system does not sustain the offered rate.
    .do = Read what limited the scenario, widen that, and look for the highest rate at which nothing piles up.
finding-OTHER-WORK =
    .seen = In { $scope } { $busy } of { $cores } were busy, and the watched processes and the generator used { $own } (limit { $limit } of what was busy).
    .means = Other work on this machine, or a part of the system that nobody watched, took the processors. How busy they were says nothing of what this load needs; waiting for a processor may have made calls slower all the same.
    .do = Take the other work off this machine, or watch the process that is missing, and repeat the run.
finding-GEN-SAT =
    .seen = In { $scope } the generator was short of processor time: { $sign ->
        [overloaded] in { $value } of the seconds a thread had no time left while arrivals waited for a connection
        [run_queue] its threads waited { $value } of the time for a core
        [steal] { $value } of processor time was stolen
       *[cores_full] its threads used { $value } of their processor time
    } (limit { $limit }).
    .means = The generator limited the test. Times may be too long and throughput too low.
    .do = Give the generator more cores or a machine of its own, and repeat the run.
finding-GEN-SLIP =
    .seen = In { $scope } one start in a hundred was more than { $lateness } late (limit { $limit }).
    .means = The load came later and more bunched than planned; the generator’s own delay is part of the response times.
    .do = Take other work off the generator’s machine or give it more cores, and repeat the run.
finding-GEN-CEILING =
    .seen = In { $scope } the plan is { $rate }, { $share } of the { $ceiling } that the generator of this machine sent in time to a target that does nothing (limit { $limit }).
    .means = The generator has little to spare. What a real target costs it, longer answers, checks or a shared machine, may use that up.
    .do = Give the generator more threads or a machine of its own, or lower the rate; watch its lateness and run-queue delay.
finding-GEN-DROP =
    .seen = In { $scope } { $dropped } of { $intended } planned iterations ({ $share }) were never started; { $lost } of them on the generator’s account.
    .means = The system saw less load than the study asked for. Shares are of what was planned, so that nothing is lost from them.
    .do = Find out what held the starts back, the bound on connections (“max_in_flight”) or the generator itself; give it room, and repeat the run.
finding-CO-CLOSED =
    .seen = In { $scope } the slowest call took { $max } against a median of { $median }, in a closed load.
    .means = While calls were slow, users asked for nothing: a production load would have met the slow stretch with many more calls. Percentiles here are likely too good.
    .do = Measure the same work with an open load (“arrivals”) at the rate that production has.
finding-MEAN-GT-P90 =
    .seen = In { $scope } the mean ({ $mean }) is above the p90 ({ $p90 }); the slowest tenth took at least { $tail } on average.
    .means = A few very slow calls carry the mean. It describes no caller’s experience; use percentiles.
    .do = State requirements as percentiles or shares, and look for what the slowest calls have in common.
finding-CENSORED =
    .seen = In { $scope } { $timeouts } calls ({ $share }) ran into the time-out; percentiles from p{ $quantile } on stand on it.
    .means = Those percentiles are lower bounds: the calls would have taken at least as long.
    .do = Find out why these calls do not end; to learn how long they take, raise the time-out and repeat the run.
finding-ERR-FAST =
    .seen = In { $scope } { $share } of the calls failed, with a median of { $failed } against { $ok } of those that ended well.
    .means = Failures are answered fast, so figures over all calls look better than what successful callers met. Read the rows apart.
    .do = Find the cause of the failures first; until then, compare calls that ended well and nothing else.
finding-FEW =
    .seen = In { $scope } { $count } calls ended well; a p99 with an interval takes { $needed }.
    .means = Higher percentiles cannot be estimated from so few calls and are printed as “–”.
    .do = Make the hold long enough for { $needed } calls to end well.
finding-DOWN =
    .seen = { $instance } { $kind ->
        [gone] ended
        [restart] was restarted
       *[other] was not the one that was meant
    } { $at } into the run.
    .means = From then on another system was measured than the one intended. Results after that moment do not belong to the full system.
    .do = Read the log of { $instance } around that moment, remove the cause, and repeat the run.
finding-LEAK =
    .seen = In { $scope } { $series } of { $instance } rose all through { $hold }{ $collections ->
        [none] { "" }
       *[other] , after { $collections } collections,
    } by { $hourly } an hour (95 % interval { $hourly_low } to { $hourly_high }){ $per_iteration ->
        [none] , to { $level }.
       *[other] , { $per_iteration } an iteration, to { $level }.
    } { $full ->
        [none] No limit of it is known.
       *[other] At this rate its limit is reached in { $full }{ $full_low ->
            [none] .
           *[other] { " " }({ $full_low } to { $full_high ->
                [none] never
               *[other] { $full_high }
            }).
        }
    }
    .means = { $collections ->
        [none] { $grade ->
            [suspected] A leak is suspected. Only the lower envelope was looked at, so it is not what is thrown away and collected again; whether it is a cache without a bound this run cannot tell.
           *[possible] A leak is possible. Under half an hour, a rise cannot be told from something that fills up.
        }
       *[other] { $grade ->
            [confirmed] A leak has filled the heap: what collections leave rose until hardly any room was left. Only a cache that is meant to fill the heap would look the same.
            [suspected] A leak is suspected. Only what collections leave was looked at, so it is not garbage; whether it is a cache without a bound this run cannot tell.
           *[possible] A leak is possible. In under half an hour, or with so few collections, a rise cannot be told from something that fills up.
        }
    }
    .do = Hold the load for an hour or more, at two rates: a leak grows with the calls and does not stop. Then look for what { $instance } keeps of each call{ $collections ->
        [none] .
       *[other] : a heap dump at the beginning and one at the end show it.
    }
finding-CEILING =
    .seen = In { $scope } { $series } of { $instance } { $of ->
        [collections] stood near its limit of { $ceiling } after { $time } of the collections; it reached { $reached } of it.
       *[time] stood at its limit of { $ceiling } for { $time } of the time; it reached { $reached } of it.
    }
    .means = { $of ->
        [collections] Collections leave hardly any room: the next calls find it full again. Figures of this hold may be those of the heap’s size, not of the system.
       *[time] What is bounded had no room left. Figures of this hold may be those of the limit, not of the system.
    }
    .do = Find out whether the limit is meant. Raise it, or lower the load until there is room, and repeat the run.
finding-GC-STORM =
    .seen = In { $scope } collections stopped { $instance } for { $share } of { $hold }, in the worst minute for { $worst } of it. { $full_n ->
        [0] None of them was a full one
        [one] One of them was a full one
       *[other] { $full } of them were full ones, { $per_minute } a minute
    }{ $sibling ->
        [none] .
       *[other] ; an instance of the same kind had { $sibling }.
    }
    .means = While a heap is collected nothing is answered, and one that is collected again and again frees little each time. Response times of this hold are in part those of the collector.
    .do = See in the finding HEAP what collections leave. If that is near the maximum, give { $instance } more heap or find what fills it; if not, it makes more garbage than its young generation is made for.
finding-HEAP =
    .seen = In { $scope } the heap of { $instance } { $shape ->
        [none] was not collected once in { $hold }; what was in use went from { $first } to { $last }.
        [few] was collected { $collections_n ->
            [one] once
           *[other] { $collections } times
        } in { $hold }, too seldom to tell where its floor goes; left were { $first } at first and { $last } at last.
        [returns] was collected { $collections } times in { $hold }, by { $height } in the middle, and came back to its floor each time: { $first } in the first third, { $last } in the last.
        [rises] was collected { $collections } times in { $hold }, by { $height } in the middle, and did not come back to its floor: { $first } in the first third, { $last } in the last.
       *[unclear] was collected { $collections } times in { $hold }, by { $height } in the middle; what was left went from { $first } in the first third to { $last } in the last.
    }{ $reached ->
        [none] { "" }
       *[other] { " " }At most { $reached } of its maximum was left after a collection.
    }{ $peak ->
        [none] { "" }
       *[other] { " " }At most { $peak } of it was in use.
    }
    .means = { $shape ->
        [none] Without a collection nothing tells garbage from what is kept: neither a leak nor its absence can be seen.
        [few] More collections are needed before a floor can be told.
        [returns] A saw-tooth that comes back to its floor: what is thrown away is collected, and nothing that would be seen in this time stays.
        [rises] More is left after each collection than before. { $old_n ->
            [0] The old generation was not collected in this time, so what waits in it may still be garbage.
           *[other] The finding LEAK, where there is one, says by how much.
        }
       *[unclear] The floor moves by so much that this run cannot tell whether it rises.
    }
    .do = { $shape ->
        [returns] Nothing; a longer hold would show a slower leak.
       *[other] Hold the load until the old generation has been collected some twenty times: longer, or with a smaller heap.
    }
finding-DROP =
    .seen = In { $scope } throughput fell { $at } after the beginning, after { $count } calls, from { $before } to { $after }, and stayed there{ $others_n ->
        [0] .
        [one] ; so did one other exchange.
       *[other] ; so did { $others } other exchanges.
    }
    .means = From then on less was done than offered. In one run, volume and time cannot be told apart as its reason.
    .do = Repeat the run at another rate: if the drop comes after as many calls, the volume matters; if after as long, the time. Read the logs around that moment.
finding-STALL =
    .seen = In { $scope } { $figure ->
        [times] calls were slow every { $every }, for about { $lasts } ({ $during } instead of { $usual } on average); { $affected } of the calls were affected
       *[throughput] throughput fell every { $every }, for about { $lasts } (to { $during } from { $usual }); { $affected } of it was lost
    }. Seen { $repeats } times, { $duty } of the time{ $others_n ->
        [0] .
        [one] , and in one other exchange.
       *[other] , and in { $others } other exchanges.
    } { $with ->
        [none] Nothing that is watched has the same rhythm.
       *[other] The same rhythm: { $with }.
    }
    .means = Something stops the system in a fixed rhythm. High percentiles come from these moments; the mean hides them.
    .do = Look for what runs every { $every }: a flush, a checkpoint, a collection, a scheduled job. Compare its log with the moments of the slow calls.
finding-DRIFT =
    .seen = In { $scope } { $shape ->
        [shift] { $subject } shifted { $at } after the beginning
       *[drift] { $subject } drifted over { $at }
    } from { $before } to { $after } { $figure ->
        [times] (mean time)
       *[series] (watched)
    }{ $others_n ->
        [0] .
        [one] , together with one other.
       *[other] , together with { $others } others.
    }
    .means = { $figure ->
        [times] { $direction ->
            [up] Under constant load calls became slower. Figures over the whole hold mix two states.
           *[down] Under constant load calls became faster: the beginning of the hold was still warming up.
        }
       *[series] The load was constant, this was not. Figures over the whole hold mix two states.
    }
    .do = { $direction ->
        [up] Hold the load longer to see where it ends, and look at what grows meanwhile: data, queues, connections.
       *[down] Make the warm-up longer, or judge the last part of the hold.
    }
finding-SPIKE =
    .seen = In { $scope } { $subject } rose to { $greatest } against a usual { $usual }, { $at } after the load began, for { $lasted } { $number_n ->
        [one] (once)
       *[other] (the greatest of { $number } spikes)
    }{ $others_n ->
        [0] .
        [one] , together with one other.
       *[other] , together with { $others } others.
    }
    .means = { $place ->
        [start] A spike at the start: what is done once when the load comes, such as filling pools and caches.
       *[during] An exception during the hold. It is too rare for a rhythm, and part of the figures.
    }
    .do = Read the logs of that moment. If it comes in every run at the same place, it belongs to the system; if not, repeat the run.
finding-SKEW =
    .seen = In { $scope } the replicas of { $group } did not share alike: { $series } of { $high } was { $greatest }, of { $low } { $least }; the greatest is { $off } above the mean.
    .means = The load is not spread evenly, or one replica works harder for the same. The busiest one sets the limit of all.
    .do = Compare the number of calls of each replica: if they differ, look at the balancing; if not, at the replica itself.
finding-NO-RETURN =
    .seen = After { $scope } { $series } of { $instance } was at { $value } when watching ended, { $watched } after the load; before the load it was at { $baseline }{ $others_n ->
        [0] .
        [one] . One other had not come back either.
       *[other] . { $others } others had not come back either.
    }
    .means = Something went on after the load, or was left behind by it. What runs next does not begin from rest.
    .do = Watch longer after the load (“recovery”), and look at what { $instance } is still doing then.
finding-STATE =
    .seen = { $scope } began with { $series } of { $instance } at { $now }; { $first } had begun with { $before } ({ $change } more).
    .means = Later holds met a fuller store than the first. Part of the difference between them is likely the order in which they ran.
    .do = Restore the data between the holds, or run them in another order as well.
finding-IDLE =
    .seen = Before { $scope } { $series } of { $instance } was at { $baseline }, measured over { $seconds } without load; under load it was at { $load }.
    .means = The difference is what the load costs; the first figure is there without any.
    .do = Nothing needs doing; use this baseline when you compare runs.
finding-NO-ANSWER =
    .seen = In { $scope } none of { $started } calls of { $exchange } ended well.
    .means = This part of the system did not work during the test; nothing else about it can be judged.
    .do = Carry out { $exchange } once by hand, read its failures in the scenario’s chapter, and repeat the run when it works.
finding-REPLIES =
    .seen = Of { $scope } { $right } replies came in time and right, { $missing } were missing, of which at most { $after_all } came after all{ $again_n ->
        [0] { "" }
       *[other] { " " }(further late replies to the same messages: { $again })
    }, { $wrong } were wrong and { $duplicate } came twice.{ $streams ->
        [none] { "" }
       *[other] { " " }Most went wrong in: { $streams }.
    }
    .means = A message that was accepted is done only when its reply has come. What is missing here was accepted all the same.
    .do = Follow some of these messages through the system’s own records: accepted, stored, answered, sent.
finding-REFUSED =
    .seen = In { $scope } the other side refused { $refused } of { $started } messages after their last leg had closed; { $taken } of their iterations had ended well by then and count as failed.
    .means = These messages were accepted and then not processed. The times of their legs stand as measured: they are times of acceptance.
    .do = Read the samples of failures of { $exchange }: they hold what the other side said.
finding-UNCLAIMED =
    .seen = Listener { $listener } took requests that closed no leg: { $ours } named a message of this run and were not waited for, { $too_late } came after their scenario was over, { $unknown } named no message of this run, { $unreadable } could not be read, { $nobodys } were meant for no driver. The first: “{ $example }”.
    .means = The system sent something that the study does not account for. What names a message of this run may change how that message fared.
    .do = Look at the examples among the run’s events, and either have the study wait for what they are, or find out who sends them.
finding-SHAPE =
    .seen = The times of { $scope } have { $modes } { $modes_n ->
        [one] hump
       *[other] humps
    }; the p99 is { $tail } times the median, the greatest { $extreme } times the p99, and in { $stalled } of the seconds calls took more than three times as long as usual.
    .means = { $shape ->
        [plain] None of these numbers is beyond its threshold: neither the humps, nor the tail, nor the stalls.
       *[uneven] One figure in the middle describes such times badly. Several humps are several ways through the system; a long tail or stalls are calls that waited for something.
    }
    .do = { $shape ->
        [plain] Nothing follows from these numbers; the distribution itself stands with the results.
       *[uneven] Read the distribution and the times over the run side by side, and find what the slow calls have in common.
    }
finding-UNEXPLAINED =
    .seen = In { $scope } calls took { $to } on average, in { $other } { $from }. Nothing that was watched was busy, full or queueing.
    .means = The system was saturated by something that nobody watched. More hardware of the kind that was watched would not help.
    .do = Watch its pools, locks, queues and commits, and what it calls, and repeat the run.
finding-ARITH =
    .seen = The text at { $scope } says { $sum } = { $stated }; carried out, it is { $computed }.
    .means = What the author builds on this figure is built on a slip, and no run can repair it.
    .do = Correct the sum, or let it be computed: “capacity” has volumes and ratios that are printed as they are computed.
finding-COPY-TWIN =
    .seen = { $scope } and { $other } have the same figures to the last digit, with a mean of { $mean }.
    .means = Two measurements never agree like this. One of them is most likely a copy of the other.
    .do = Find out which of the two was measured, and leave the other out.
finding-FLAT-R =
    .seen = From { $from } to { $to } an iteration of { $scope } took { $mean } on average at every load, with a spread of { $spread } and no trend.
    .means = No queue formed in the tested range. The limit lies beyond the highest load, and how far is not known.
    .do = Test higher loads if the limit is asked for.
finding-INVENTORY-MEMORY =
    .seen = In the stated inventory, { $row } has a heap of { $xmx } and a metaspace of { $metaspace }, with a memory of { $memory }.
    .means = The process may be ended by its own limit before its heap is full, or the table is wrong.
    .do = Compare with the running process, and correct the table or the settings.
finding-INVENTORY-RESERVATION =
    .seen = In the stated inventory, { $row } reserves { $reservation } of a memory of { $memory }.
    .means = More cannot be reserved than there is: one of the two numbers is wrong.
    .do = Compare with the running process, and correct the table.
finding-INVENTORY-SHIFTED =
    .seen = In the stated inventory, { $row } has { $value } under { $column }, where { $usual } is usual; { $same ->
        [none] no other column of the row holds it
       *[other] { $same } holds the same number
    }.
    .means = The number looks as if it belonged into another column.
    .do = Compare with the running process, and correct the table or say why this component differs.
finding-INVENTORY-TEXT =
    .seen = In the stated inventory, { $row } has the text { $cell } under { $column }, a column of numbers.
    .means = Nobody can calculate with this cell, and a reader cannot tell what holds now.
    .do = Write the number that holds, and remarks into a column of their own.
finding-INVENTORY-TWIN =
    .seen = In the stated inventory, { $row } and { $other } have the same values throughout.
    .means = Unlike components are seldom alike in everything. One row may be a copy of the other.
    .do = Compare both with the running processes.
finding-INVENTORY-UNITS =
    .seen = In the stated inventory, the numbers under { $column } have several units: { $units }.
    .means = Numbers that stand under each other are read as comparable, and these are not.
    .do = Write one unit throughout, best into the head of the column.
finding-NONMONO =
    .seen = At a load of { $failed } ({ $scope }) a requirement was not met, and at the higher load of { $held } ({ $where }) all were.
    .means = A disturbance, or a limit that does not grow with the load. The capacity is taken below the lower load until this is settled.
    .do = Repeat { $scope }.
finding-NOT-REACHED =
    .seen = { $loads } loads were tried and none failed; the highest, { $load } in { $scope }, ended { $throughput } well.
    .means = The limit was not reached: the capacity is at least this, a lower bound.
    .do = Test a higher load if the limit is asked for.
finding-RATIO =
    .seen = The text at { $scope } says “{ $words }”, a factor of { $stated }; the two numbers make { $computed }.
    .means = A factor that its own two numbers do not make may belong to another pair, and nobody can tell to which.
    .do = Name both numbers and correct the factor, or let it be computed: “capacity” has ratios that name both of their operands.
finding-REGIME =
    .seen = Among the loads of { $scope }, { $kind ->
        [instance] the instance { $what } was lost or restarted
        [configuration] the system ran with different values of { $what }
       *[errors] failures of the class { $what } begin at one load and are absent at others
    }.
    .means = These loads were not measured on the same system. No curve may be laid through them, and no growth read from one to the other.
    .do = Repeat the loads on one side of the change.
finding-SIGNIFICANT =
    .seen = { $statistic } of { $other } lies { $direction ->
        [down] lower
       *[up] higher
    } than that of { $base }: by { $change }{ $kind ->
        [points] { " " }(as a difference of shares)
       *[ratio] { "" }
    }, interval { $low } to { $high }.
    .means = The whole interval lies beyond the band, so chance within the runs does not explain it.
    .do = Look at what differs between the two sides before naming a cause; the comparison lists it.
finding-NO-BASE =
    .seen = { $other } was compared with { $base } by one run a side.
    .means = How much two equal runs differ here is not known, so the intervals hold what these two runs showed and nothing more.
    .do = Repeat both sides, in turn: “repeat: 2” or more. From four repetitions a side on the comparison assumes nothing about their spread.
finding-ROUNDING =
    .seen = The change of { $statistic } lies between { $low } and { $high } by the digits of its two values alone.
    .means = A single percentage would be finer than the values it is made of.
    .do = Quote the range, or the two values.
finding-UNIT =
    .seen = The text at { $scope } says { $first } = { $second }; converted, the first is { $computed }{ $unit }.
    .means = One of the two is not what was meant: a factor, or what the unit counts, was lost on the way.
    .do = Correct the number or the unit, and say what is counted: requests of one kind, of all kinds, or iterations.
finding-UNUSED =
    .seen = The assumption { $name } = { $value } is stated, and nothing uses it.
    .means = What is said about it elsewhere was not computed from it.
    .do = Use it as a variable in a load or a volume, or remove it.
finding-WARM-UP =
    .seen = { $scope } was not steady from its start, after a warm-up of { $declared }. { $shape ->
        [settles] Without its first { $cut }, the { $figure ->
            [times] mean time
           *[throughput] throughput
        } of { $exchange } is { $after }; over the whole hold it is { $before }, so the beginning moves it by { $moved }
       *[never] It did not settle within its first half ({ $cut }): over the last half the { $figure ->
            [times] mean time
           *[throughput] throughput
        } of { $exchange } is { $after }, over the whole hold { $before }, which is { $moved } off
    }{ $others_n ->
        [0] .
        [one] ; one other exchange was not steady either.
       *[other] ; { $others } other exchanges were not steady either.
    }
    .means = Nothing was cut: every figure of this hold contains its beginning, and speaks of getting warm as well.
    .do = { $typed ->
        [none] Hold the load longer, and judge the last part of it (“last … of hold”).
       *[other] Write “{ $typed }” into this load and repeat the run, or judge the last part of the hold.
    }

## Capacity

capacity-title = Capacity
capacity-intro = Capacity is an interval: the highest load that held, and the lowest that did not. A load holds when every requirement of weight “must” was met and the generator was not to blame. Where no load failed there is a lower bound and no more.
capacity-users = { $users } { $users_n ->
    [one] user
   *[other] users
}
capacity-between = { $scenarios }: the capacity lies between { $held }, which held with { $throughput } ended well, and { $failed }, which did not hold.
capacity-at-least = { $scenarios }: the capacity is at least { $held }, with { $throughput } ended well. No higher load was tried that failed, so this is a lower bound.
capacity-below = { $scenarios }: the capacity is below { $failed }. No load held.
capacity-nothing = { $scenarios }: not one iteration ended well at any load, so this run says nothing about the capacity. First find out why the calls failed.
capacity-unknown = { $scenarios }: no load was shown to hold and none to fail, so nothing can be said about the capacity.
capacity-law = The curve bends: contention { $sigma }, coherency { $kappa }, and by the Universal Scalability Law a peak at { $peak } users. The law annotates the curve; it is not a capacity.
capacity-knee = From { $load } on, more load brings clearly less throughput (Kneedle; an annotation).
held-yes = held
held-no = did not hold
held-unknown = cannot tell
table-levels = Loads that were tried: { $scenarios }
note-levels = The time of an iteration is the mean over those that ended well, without think time. “Cannot tell” stands where nothing is demanded of weight “must”, where a verdict could not be told, or where the generator may be to blame.
col-tried = Load
col-iteration-time = Time of an iteration
col-held = Held
ladder-title = What limited each scenario
ladder-intro = Rungs are looked at from the top, because what stands above explains what stands below. Two signals that agree are called likely, one possible. A signal does not prove a cause.
ladder-none = { $scope } at { $load }: no limit was observed.
ladder-observed = { $scope } at { $load }: { $rung } is a { $state ->
    [likely] likely
   *[possible] possible
} limit ({ $signals }).
ladder-rung = { $rung ->
    [generator] the load generator
    [instance_down] a lost instance
    [ceiling] a hard ceiling
    [resource] a saturated resource
    [software] a limit in the software
   *[downstream] something downstream
}
ladder-state = { $state ->
    [likely] likely
    [possible] possible
    [not_observed] not observed
   *[not_watched] not watched
}
ladder-signal = { $signal ->
    [at_ceiling] { $metric } of { $instance } stood at { $share } of its ceiling, { $time } of the time
    [behind] { $ended } of { $offered } offered were answered
    [connections_bound] all { $bound } connections of the study’s bound were in use, { $time } of the time
    [failures] { $share } of the iterations failed
    [generator_sign] { $sign } was beyond its threshold
    [instance_lost] { $instance } { $kind ->
        [gone] ended
       *[restart] was restarted
    }
    [piled_up] in flight grew from { $from } to { $to } within the hold
    [queue_grew] { $metric } of { $instance } grew from { $from } to { $to }, by more than the load
    [refused] { $share } of the calls were refused or reset
    [run_queue] { $queue } tasks were ready to run on { $cores } cores
    [saturated] { $metric } of { $instance } was at { $utilisation }
    [slower] an iteration took { $to } against { $from } at the lowest load
    [throughput_flat] { $load } times the load, and throughput went from { $from } to { $to }
   *[wait_grew] { $metric } of { $instance } grew from { $from } to { $to }
}
table-ladder = The ladder of each scenario, at its highest load
note-ladder = “Not watched” means that no monitor of this study could have shown it. A software limit is looked for where nothing watched was busier than 70%.
col-rung = Rung
col-evidence = Evidence
ladder-no-resources = No use of processors or disks was watched, so nothing can be said about resources.
table-resources = Resources at the highest load of each scenario, busiest first
note-resources = Processor time of a process is given as a share of all cores of the machine. The demand is what one iteration takes of one core or disk. The last column is the throughput at which the resource would reach 90%, if its demand stays as it is; it is no promise that this throughput can be reached.
col-resource = Resource
col-use-demand = Demand of an iteration
col-at-limit = At 90%
resource-one-load = from one or two loads; idle use is counted as demand
volumes-title = Volumes and ratios
volumes-intro = Each volume is computed from the expression that stands beside it, with the rate as it is printed. The hours, days and the peak factor are the author’s; what a year brings is not measured here.
volume-refused = refused
volume-upper-bound = an upper bound: a flat load round the clock is assumed
volume-as-stated = at the stated hours and days
capacity-refused = { $reason ->
    [cannot_tell] It cannot be told whether the requirement { $requirement } is met at this rate.
    [cut_short] The run ended before all of the window was seen.
    [degraded] The window is not valid: { $sign } ({ $where }).
    [no_value] The rate could not be measured.
    [not_met] The requirement { $requirement } is not met at this rate, so it cannot be kept up.
    [trial] This was a trial; its shortened windows carry no volume.
   *[undrained] { $ended } of { $offered } offered were answered and { $left } iterations were left over: not all that came was worked off.
}
table-volumes = Volumes
note-volumes = The interval is that of the rate in this run. Digits stand beside the word, because a billion is not the same number in every language.
table-ratios = Ratios
col-rate = Rate, and where
col-expression = Expression
col-volume = Volume
col-remark = Remark
col-operands = Operands
label-not-held = did not hold
label-offered = offered
fig-capacity-caption = Throughput against load: { $scenarios }
fig-capacity-seen = Throughput went from { $from } at { $low } to { $to } at { $high }.
fig-capacity-means-between = The limit lies between the two loads named above; loads in between were not tried.
fig-capacity-means-bound = The curve was not followed to its end: the true capacity may be much higher.
fig-capacity-means-below = Even the lowest load was too much; lower loads are needed to find one that holds.
fig-capacity-means-unknown = The curve shows what came out, not whether it was good enough: no requirement decides here.

## Exchanges, legs, streams

model-streams = { $streams_n ->
    [one] One stream starts them, a row of the data set { $set }.
   *[other] { $streams } streams take turns in starting them, each a row of the data set { $set }.
}
exchanges-title = Exchanges
assumptions-title = Assumptions
assumptions-none = The study states no assumption (“assume”).
sequence-title = Course of an exchange
sequence-steps = { $steps_n ->
    [one] For each request the system takes this step, as the study states it:
   *[other] For each request the system takes these { $steps } steps, as the study states them:
}
sequence-lab = load generator
sequence-system = system under test
sequence-request = request, from its intended start on
sequence-work = What the system does
sequence-here = answer on the same connection
sequence-matched = later, on a connection of its own
sequence-matched-within = later, on a connection of its own, within { $limit }
sequence-listener = listener { $name }
sequence-listeners = listener of the lab
sequence-listener-is = of the lab
fig-sequence-what = Course of { $exchange }, from the plan
fig-sequence-finds = { $exchange } has { $legs } legs on one connection
fig-sequence-finds-later = { $exchange } has { $legs } legs; { $later_n ->
    [one] one comes later, by another way
   *[other] { $later } come later, by another way
}
fig-sequence-seen = The generator sends { $exchange } to the system; { $legs } legs follow: { $list }.
fig-sequence-means = Each leg has times and failures of its own.
fig-sequence-means-later = The time of the answer does not contain the later reply. Each leg has times and failures of its own, and all count from the intended start of the request.
fig-sequence-reading = Time runs downwards and is not to scale. Solid is the request, dashed is what comes back. The work stands beside the arrows because the plan does not say after which of its steps the answer leaves.
features-title = What is exercised, and what is not
features-intro = Drivers know what their protocol can do, and say what the exchanges of this study have done of it. What is not exercised, no figure of this report speaks of.
exercised-yes = exercised
exercised-no = not exercised
table-features = Features of the protocol
note-features = As the drivers declare it, from the settings of each exchange.
legs-title = Legs and later replies
legs-intro = A leg that closes at a listener of the lab ends when the first byte of the reply is read there; its response time counts from the intended start of the request.
legs-at-listeners = The lab’s listeners took { $requests } { $requests_n ->
    [one] request
   *[other] requests
}: { $handed } for an exchange that was open, { $too_late } after their scenario was over, { $unasked } that named a message of this run and were not waited for, { $unknown } that matched no exchange, { $unreadable } that could not be read, and { $unclaimed } meant for no driver.
table-legs = Legs of { $scenario }: what was started, and what became of it
note-legs = All steps together. “Missing” did not come within its time; “late” came after that, and “duplicate” came again: both are counted besides, since their leg is closed already. “Still open” is what the end of the drain cut off.
streams-title = Streams
streams-intro = Each stream is an identity of its own, a row of the data set { $set }, and is labelled by its first column.
table-streams = Streams of { $scenario }
note-streams = Counts are of all steps, times of what ended well in the judged part.
fig-streams-what = Mean times of { $what } by stream, { $scenario }
fig-streams-finds = The slowest stream, { $slowest }, takes { $factor } times as long as the fastest
fig-streams-seen = Of { $streams } streams, { $fastest } has the shortest mean, { $low }, and { $slowest } the longest, { $high }. { $failed_n ->
    [0] No call of any stream failed.
    [one] One call failed.
   *[other] { $failed } calls failed, in { $with_failures } of the streams.
}
fig-streams-means-uneven = From { $limit } times on, streams are not served alike: an average over all of them describes none, and the slow ones deserve a look of their own.
fig-streams-means-even = They stay below { $limit } times: no stream is served at the cost of another.
fig-streams-reading = A row is a stream, a cell { $width } of intended starts; the darker, the longer the calls that ended well took, by factors. An orange dot is a cell with failures. At the right stands the mean of the judged part.
fig-awaiting-what = Replies that were still awaited, { $scenario }
fig-awaiting-finds = { $most_n ->
    [one] At most one reply was awaited at a time
   *[other] At most { $most } replies were awaited at a time
}
fig-awaiting-seen = The most, { $most }, were awaited at { $when }; when the scenario ended, { $left } were.
fig-awaiting-means-grows = Over the judged part it grew from { $begin } to { $end } on average: replies came more slowly than requests went out, and at this load the backlog grows.
fig-awaiting-means-rises = Over the judged part it rose from { $begin } to { $end } on average. No finding says that work piled up, so it may settle there.
fig-awaiting-means-level = It did not pile up, and at the end nothing was open: what had been taken was answered or counted missing.
fig-awaiting-means-left = It did not pile up over the judged part; { $left } still open at the end are counted as such, and as nothing else.
fig-awaiting-reading = The most of each second: requests that were answered on their own connection, and whose later legs had not come yet.
axis-awaited = Replies awaited
label-awaited = awaited
in-short-title = In one line
in-short-findings = What bears on these figures:
table-in-short = { $measure ->
    [service] Service times of { $scenario } in short
   *[response] Response times of { $scenario } in short
}
note-in-short = The judged part. Times are of successful calls; the failed share is that of all that was planned, whatever became of it.
in-short-min = The shortest time of a successful call in the judged part.
in-short-mean = The arithmetic mean of those times. Where it lies above the percentile, a few very slow calls make it.
in-short-max = The longest time of a successful call.
in-short-p90 = Nine of ten successful calls took no longer (nearest rank). No call is left out of anything else because of it.
in-short-error = The share of planned calls that did not end as they should: failed, missing, wrong, or never started.
table-in-short-words = Columns of the tables of results
behaviour-load = Generated load
behaviour-processor = Processor
behaviour-memory = Memory
behaviour-rest = Other series and events
behaviour-none = No monitor of this study watched it.
reconciliation-title = Reconciliation
reconciliation-intro = What was sent, accepted, stored and answered must be the same number. A difference is a loss or a duplicate, and no share of success covers it.
reconciliation-none = No requirement of this scenario sets counts equal, so nothing shows that what was accepted was also stored.
table-reconciliation = Counts of { $scenario } set against each other
note-reconciliation = Counted in full, over the time that each rule names. Where a rule is judged for each stream, its verdicts stand for streams.
table-planned = Steps of { $scenario } as planned
note-planned = What was achieved stands with the results of the scenario.
setup-hardware = Hardware
setup-software = Software
table-software = Components with version and memory
note-software = Version as the process itself told it, memory as its limit or the bound of its heap was captured; both have this one source in the whole report. “–”: not told.
property-word = { $property ->
    [clock_source] Clock source
    [program] Program
    [version] Version
    [command_line] Command line
    [descriptors_soft_limit] Descriptors, soft limit
    [descriptors_hard_limit] Descriptors, hard limit
    [ports_for_outgoing_connections] Ports for outgoing connections
    [cores_it_may_use] Cores it may use
    [weight_against_the_system] Weight against the system
   *[other] { $property }
}
captured-word = { $value ->
    [instances_run_at_nice_5__so_that_load_threads_come_first_on_a_full_machine] instances run at nice 5, so that load threads come first on a full machine
   *[other] { $value }
}
col-sender = From
col-receiver = To
col-leg = Leg
col-how = How
col-awaited = Awaited
col-stream = Stream
col-other-failures = Other failures
col-feature = Feature
col-exercised = In this study
col-test = Test
col-p90 = 90%
col-error = Error %
col-term = Term
col-description = Description
col-iterations = Iterations
col-component = Component
col-version = Version
col-memory = Memory
col-property = Property

## Components

components-title = Components of the system
components-intro = What the author states about the components ({ $file }), and what was captured from the running processes. The two are kept apart.
components-stated = The next table is stated by the author and was not measured.
table-components-stated = Components as stated in { $file }
components-sound = The stated table was checked for text among numbers, mixed units, heaps and reservations beyond the memory, equal rows and values out of place; nothing was found.
components-not-captured = Nothing was captured from the running processes to hold this table against.
table-components-captured = Components as captured from the running processes
note-components-captured = Captured by loadproof when the run began.
