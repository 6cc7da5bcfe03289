import {
  decidingPass,
  PHASES,
  type JudgeProbeAnswer,
  type JudgeProbePlan,
  type JudgeProbeResults,
  type Phase,
  type ProbeAccuracy,
  type ProbeCell,
  type ProbePass,
  type ProbeShare,
} from '../../contract/index.ts';
import {
  chiSquaredTail,
  cohenKappa,
  differenceInterval,
  fisherExact,
  homogeneity,
  pairedCounts,
  pairedDifferenceInterval,
  studentQuantile,
  wilsonInterval,
  yesNoTable,
} from '../../core/index.ts';
import { isClosedSentence, ISSUES } from '../reviewers/answers.ts';
import type { ProbeItem } from './items.ts';

/** One question with what is known of its item. */
type Answered = { item: ProbeItem; answer: JudgeProbeAnswer };

const phaseOf = ({ issue }: ProbeItem): Phase => ISSUES[issue].phase;
/** Whether the issue that the item was made for was reported. */
const isFound = ({ item, answer }: Answered): boolean => answer.issues.includes(item.issue);
/** Whether the model took part; of some items everything is computed. */
const isAsked = ({ answer }: Answered): boolean => answer.tokensIn > 0;
const isRight = (one: Answered): boolean => isFound(one) === one.item.carries;

/** Figures of a probe from its answers, all of them or those that there are. */
export function probeResults(
  { mode }: Pick<JudgeProbePlan, 'mode'>,
  items: readonly ProbeItem[],
  answers: readonly JudgeProbeAnswer[],
): JudgeProbeResults {
  const of = (pass: ProbePass): Answered[] =>
    answers
      .filter((answer) => answer.pass === pass)
      .sort((a, b) => a.ordinal - b.ordinal)
      .map((answer) => ({ item: items[answer.ordinal] as ProbeItem, answer }));
  const [run, alone, again] = [of('run'), of('alone'), of('again')];
  const deciding = decidingPass(mode) === 'run' ? run : alone;
  return {
    answered: answers.length,
    failed: answers.filter(({ status }) => status === 'failed').length,
    run: accuracyOf(run),
    alone: accuracyOf(alone),
    computedAdds: computedAdds(run, alone),
    position: positionOf(deciding),
    length: byLength(deciding, isFound),
    lengthOfControls: byLength(
      deciding.filter(({ item }) => !item.carries),
      ({ answer }) => answer.issues.length > 0,
    ),
    leaks: leaksOf(run),
    again: againOf(deciding, again),
    seconds: secondsOf(run.filter(isAsked)),
    pace: paceOf(run),
  };
}

function shareOf(hits: number, n: number): ProbeShare {
  return { n, hits, share: n === 0 ? null : hits / n, ...wilsonInterval(hits, n) };
}

function accuracyOf(answered: readonly Answered[]): ProbeAccuracy {
  const cells = (nameOf: (item: ProbeItem) => string): ProbeCell[] =>
    [...Map.groupBy(answered, ({ item }) => nameOf(item)).entries()]
      .map(([name, group]) => cellOf(name, group))
      .sort((a, b) => PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) || (a.name < b.name ? -1 : 1));
  return {
    phases: cells(phaseOf),
    issues: cells(({ issue }) => issue),
    kinds: cells(({ issue, kind }) => `${issue}: ${kind}`),
  };
}

/** Precision, recall and balanced accuracy of items half of which carry their issue. */
function cellOf(name: string, group: readonly Answered[]): ProbeCell {
  const carrying = group.filter(({ item }) => item.carries);
  const controls = group.filter(({ item }) => !item.carries);
  const [hits, alarms] = [carrying.filter(isFound).length, controls.filter(isFound).length];
  const balanced =
    carrying.length === 0 || controls.length === 0
      ? null
      : balancedAccuracy({ passed: hits, n: carrying.length }, { passed: alarms, n: controls.length });
  return {
    name,
    phase: phaseOf((group[0] as Answered).item),
    precision: shareOf(hits, hits + alarms),
    recall: shareOf(hits, carrying.length),
    falseAlarms: shareOf(alarms, controls.length),
    balanced,
    against: againstChance({ passed: hits, n: carrying.length }, { passed: alarms, n: controls.length }),
  };
}

type Count = { passed: number; n: number };

/** (recall + 1 − false alarms) / 2, which is (1 + J) / 2 of their difference J, and so are its limits. */
function balancedAccuracy(found: Count, alarms: Count): NonNullable<ProbeCell['balanced']> {
  const { difference, low, high } = differenceInterval(found, alarms);
  return { accuracy: (1 + difference) / 2, low: (1 + low) / 2, high: (1 + high) / 2 };
}

/** One chance in forty on either side, as of a 95 % interval; exact, since a few items make intervals of shares too narrow. */
const SIGNIFICANT = 0.025;

function againstChance(found: Count, alarms: Count): ProbeCell['against'] {
  if (fisherExact(found, alarms) < SIGNIFICANT) return 'better';
  return fisherExact(alarms, found) < SIGNIFICANT ? 'worse' : 'chance';
}

function computedAdds(
  run: readonly Answered[],
  alone: readonly Answered[],
): JudgeProbeResults['computedAdds'] {
  const without = new Map(alone.map((one) => [one.item.ordinal, one]));
  const both = run.flatMap((one) => {
    const other = without.get(one.item.ordinal);
    return other === undefined
      ? []
      : [{ phase: phaseOf(one.item), run: isRight(one), alone: isRight(other) }];
  });
  return [...PHASES, null].flatMap((phase) => {
    const pairs = both.filter((one) => phase === null || one.phase === phase);
    if (pairs.length === 0) return [];
    const counts = pairedCounts(
      pairs.map((one) => one.alone),
      pairs.map((one) => one.run),
    );
    return [{ phase, n: pairs.length, ...pairedDifferenceInterval(counts) }];
  });
}

/** Phases ask about different issues, so places are compared within each and the statistics added up. */
function positionOf(answered: readonly Answered[]): JudgeProbeResults['position'] {
  const asked = answered.filter(({ answer }) => answer.asked.length > 0);
  if (asked.length === 0) return null;
  const placesOf = (group: readonly Answered[]): { n: number; hits: number }[] =>
    Array.from({ length: Math.max(...group.map(({ answer }) => answer.asked.length)) }, (_, place) => {
      const here = group.flatMap(({ answer }) => answer.asked[place] ?? []);
      return { n: here.length, hits: here.filter(({ found }) => found).length };
    });
  const tests = [...Map.groupBy(asked, ({ item }) => phaseOf(item)).values()].map((group) =>
    homogeneity(placesOf(group)),
  );
  const chiSquared = tests.reduce((sum, test) => sum + test.chiSquared, 0);
  const degrees = tests.reduce((sum, test) => sum + test.degrees, 0);
  return {
    places: placesOf(asked).map(({ n, hits }) => shareOf(hits, n)),
    chiSquared,
    degrees,
    p: degrees === 0 ? null : chiSquaredTail(chiSquared, degrees),
  };
}

/** What is counted, in long texts against short ones. A batch's item is as long whatever its size, so it says nothing of length. */
function byLength(
  answered: readonly Answered[],
  isCounted: (one: Answered) => boolean,
): JudgeProbeResults['length'] {
  const texts = answered.filter(({ item }) => phaseOf(item) !== 'exec');
  const count = (length: ProbeItem['length']): Count => {
    const group = texts.filter(({ item }) => item.length === length);
    return { passed: group.filter(isCounted).length, n: group.length };
  };
  const [long, short] = [count('long'), count('short')];
  if (long.n === 0 || short.n === 0) return null;
  return {
    short: shareOf(short.passed, short.n),
    long: shareOf(long.passed, long.n),
    ...differenceInterval(long, short),
  };
}

function leaksOf(run: readonly Answered[]): ProbeShare {
  const worded = run.filter(({ answer }) => answer.status !== 'failed' && !isClosedSentence(answer.feedback));
  return shareOf(worded.filter(({ answer }) => answer.status === 'quarantined').length, worded.length);
}

function againOf(first: readonly Answered[], second: readonly Answered[]): JudgeProbeResults['again'] {
  const before = new Map(first.map((one) => [one.item.ordinal, one]));
  const pairs = second.flatMap((one) => {
    const earlier = before.get(one.item.ordinal);
    return earlier === undefined ? [] : [[isFound(earlier), isFound(one)] as const];
  });
  const { bothYes, onlyFirst, onlySecond, bothNo } = yesNoTable(
    pairs.map(([one]) => one),
    pairs.map(([, other]) => other),
  );
  // Kappa says nothing where one of the two times nothing, or everything, was found.
  const varies = [bothYes + onlyFirst, bothYes + onlySecond].every((yes) => yes > 0 && yes < pairs.length);
  const table = [
    [bothYes, onlyFirst],
    [onlySecond, bothNo],
  ];
  return {
    agreement: shareOf(bothYes + bothNo, pairs.length),
    kappa: varies ? cohenKappa(table) : null,
  };
}

function secondsOf(asked: readonly Answered[]): JudgeProbeResults['seconds'] {
  if (asked.length === 0) return null;
  const seconds = asked.map(({ answer }) => answer.milliseconds / 1000);
  const n = seconds.length;
  const mean = seconds.reduce((sum, each) => sum + each, 0) / n;
  const variance = seconds.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(1, n - 1);
  const spread = n === 1 ? 0 : studentQuantile(n - 1) * Math.sqrt(variance / n);
  return { n, mean, low: Math.max(0, mean - spread), high: mean + spread };
}

function paceOf(run: readonly Answered[]): NonNullable<JudgeProbeResults['pace']> {
  const groups = Map.groupBy(run, ({ item }) => phaseOf(item));
  return PHASES.flatMap((phase) => {
    const group = groups.get(phase);
    if (group === undefined) return [];
    const asked = group.filter(isAsked);
    const seconds = asked.reduce((sum, { answer }) => sum + answer.milliseconds / 1000, 0);
    return [{ phase, n: group.length, asked: asked.length, seconds: seconds / group.length }];
  });
}
