import type { JudgeProbe, JudgeProbePlan, ProbeAccuracy, ProbeCell, ProbeShare } from './judge-probes.ts';

/** The pass in which the model itself decides what is found: as in a run, unless it only words there what was computed. */
export const decidingPass = (mode: JudgeProbePlan['mode']): 'run' | 'alone' =>
  mode === 'words' ? 'alone' : 'run';

/** A phase, or one of its issues below it, with its figures as text. */
export type JudgeRow = {
  name: string;
  phase: ProbeCell['phase'];
  isPhase: boolean;
  /** Items that carry the issue and items that do not. */ n: number;
  precision: string;
  recall: string;
  balanced: string;
  against: ProbeCell['against'];
};

/** One further thing that a probe found: what it is of, and its figures as text under the names that sentences have for them. */
export type JudgeFact = {
  about:
    | 'computed'
    | 'place.none'
    | 'place'
    | 'place.tested'
    | 'length'
    | 'controls'
    | 'leaks.none'
    | 'leaks'
    | 'again.none'
    | 'again.alike'
    | 'again'
    | 'time.none'
    | 'time';
  /** Measured by itself, since a run asks nothing of the kind of this model. */ isAlone: boolean;
  values: Readonly<Record<string, string>>;
};

export type JudgeReport = {
  tables: readonly { pass: 'run' | 'alone'; rows: readonly JudgeRow[] }[];
  facts: readonly JudgeFact[];
};

/** Everything that a probe found, in the order and with the figures that terminal and window show; null while it is not finished. */
export function judgeReport({ plan, results }: Pick<JudgeProbe, 'plan' | 'results'>): JudgeReport | null {
  if (results === null) return null;
  return {
    tables: (['run', 'alone'] as const).map((pass) => ({ pass, rows: rowsOf(results[pass]) })),
    facts: factsOf(results, decidingPass(plan.mode) === 'alone'),
  };
}

type Bounds = { low: number; high: number };

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const shareText = ({ share, low, high }: Pick<ProbeShare, 'share'> & Bounds): string =>
  share === null ? '–' : `${percent(share)} [${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)}]`;
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(100 * value).toFixed(0)}`;
const differenceText = ({ difference, low, high }: Bounds & { difference: number }): string =>
  `${signed(difference)} [${signed(low)}, ${signed(high)}]`;
const secondsText = (seconds: number): string => seconds.toFixed(seconds < 1 ? 2 : 1);

function rowsOf({ phases, issues }: ProbeAccuracy): JudgeRow[] {
  const row = (cell: ProbeCell, isPhase: boolean): JudgeRow => ({
    name: cell.name,
    phase: cell.phase,
    isPhase,
    n: cell.recall.n + cell.falseAlarms.n,
    precision: shareText(cell.precision),
    recall: shareText(cell.recall),
    balanced: cell.balanced === null ? '–' : shareText({ ...cell.balanced, share: cell.balanced.accuracy }),
    against: cell.against,
  });
  return phases.flatMap((phase) => [
    row(phase, true),
    ...issues.filter((issue) => issue.phase === phase.phase).map((issue) => row(issue, false)),
  ]);
}

function factsOf(results: NonNullable<JudgeProbe['results']>, isAlone: boolean): JudgeFact[] {
  const { computedAdds, position, length, lengthOfControls, leaks, again, seconds } = results;
  const fact = (about: JudgeFact['about'], values: JudgeFact['values'] = {}): JudgeFact => ({
    about,
    isAlone,
    values,
  });
  const all = computedAdds.find(({ phase }) => phase === null);
  const { agreement, kappa } = again;
  const alike = { share: shareText(agreement), n: String(agreement.n) };
  return [
    ...(all === undefined ? [] : [fact('computed', { points: differenceText(all) })]),
    position === null
      ? fact('place.none')
      : fact(position.p === null ? 'place' : 'place.tested', {
          shares: position.places.map(shareText).join(', '),
          ...(position.p === null
            ? {}
            : { p: position.p < 0.001 ? 'p < 0.001' : `p = ${position.p.toFixed(3)}` }),
        }),
    ...(length === null ? [] : [fact('length', { points: differenceText(length) })]),
    ...(lengthOfControls == null
      ? []
      : [
          fact('controls', {
            long: shareText(lengthOfControls.long),
            short: shareText(lengthOfControls.short),
            points: differenceText(lengthOfControls),
          }),
        ]),
    leaks.n === 0
      ? fact('leaks.none')
      : fact('leaks', { hits: String(leaks.hits), n: String(leaks.n), share: shareText(leaks) }),
    agreement.n === 0
      ? fact('again.none')
      : kappa === null
        ? fact('again.alike', alike)
        : fact('again', {
            ...alike,
            kappa: `${kappa.kappa.toFixed(2)} [${kappa.low.toFixed(2)}, ${kappa.high.toFixed(2)}]`,
          }),
    seconds === null
      ? fact('time.none')
      : fact('time', {
          seconds: secondsText(seconds.mean),
          low: secondsText(seconds.low),
          high: secondsText(seconds.high),
          hour: String(Math.round(3600 / seconds.mean)),
        }),
  ];
}
