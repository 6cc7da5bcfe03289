import type { RunWires, WireLimit } from '../../electron/contract/index.ts';
import { type CurveLimit, type CurveMark, type WiresOfRun, wireMarks } from '../../electron/figures/index.ts';
import type { Translate } from '../i18n/index.ts';
import { percentText } from '../ui/index.ts';

type Wires = { marks: CurveMark[]; limits: CurveLimit[] };

/** What one run's tripwires put into the figure that has all its suites: every line says of which suite it is. */
export const wiresOfAllSuites = (t: Translate, runId: string, wires: RunWires): Wires =>
  wireMarks([{ runId, ...wires }], null, (_, step) => step, {
    touched: ({ said }) => said,
    limit: (limit) => {
      const { label, short } = limitWords(t, limit, limit.suite);
      return { label, short: t('figure.limit.of', { of: limit.suite, short }) };
    },
  });

/**
 * What tripwires put into the figure of one suite. Where it has several runs, it is said whose they are: of what was touched always, of a
 * limit unless all of them have it.
 * @param placeOf as in `wireMarks`.
 */
export function wiresOfSuite(
  t: Translate,
  runs: readonly WiresOfRun[],
  suite: string,
  nameOf: (runId: string) => string,
  placeOf: (runId: string, step: number) => number | null = (_, step) => step,
): Wires {
  return wireMarks(runs, suite, placeOf, {
    touched: ({ runId, said }) =>
      runs.length === 1 ? said : t('figure.mark.of', { of: nameOf(runId), text: said }),
    limit: (limit, ids) =>
      limitWords(t, limit, ids.length === runs.length ? null : ids.map(nameOf).join(', ')),
  });
}

/** A limit in the words of the window. @param of whose it is; null where that is plain. */
function limitWords(
  t: Translate,
  { when, value }: WireLimit,
  of: string | null,
): Pick<CurveLimit, 'label' | 'short'> {
  const words = { of: of ?? 'none', value: percentText(value, 1) };
  return { label: t(`figure.limit.${when}`, words), short: t(`figure.limit.${when}.short`, words) };
}
