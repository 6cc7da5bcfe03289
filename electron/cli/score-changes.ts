import type { RunRecord, RunScore } from '../contract/index.ts';
import { joinedReads, runScoreChanges, type RunScoreChange } from '../evaluation/index.ts';
import { changeText, pText, shareText } from '../reports/index.ts';
import { recordsOf, type Program, type Records } from './program.ts';
import { OVERRIDDEN, renderTable } from './table.ts';

/** `anchor show RUN --against BASE`: the table of results that the window compares runs by. */
export function showChanges(
  program: Program,
  { lab, sample }: { lab: Records; sample: Records | null },
  id: string,
  against: string,
): void {
  const scored = (name: string) => {
    const records = recordsOf(name, lab, sample);
    return { record: records.requireRun(name), scores: records.getRunRow(name)?.scores ?? [] };
  };
  const [base, run] = [scored(against), scored(id)];
  const changes = runScoreChanges(joinedReads(lab, sample), base.scores, run.scores);
  program.print(changes, () => changesText(changes, base.record, run.record));
}

const marked = (score: RunScore): string =>
  `${shareText(score)}${score.overridden > 0 ? ` ${OVERRIDDEN}` : ''}`;

function changesText(changes: readonly RunScoreChange[], base: RunRecord, run: RunRecord): string {
  if (changes.length === 0)
    return `No suite was asked of both ${base.id} and ${run.id}; "anchor eval" asks them.`;
  const warnings = changes.flatMap(({ suite, warnings: all }) => all.map((text) => `${suite}: ${text}`));
  return [
    `${run.config.name} against ${base.config.name}, with 95 % intervals (paired by item); p is exact, over items:`,
    renderTable(
      ['suite', 'asked', base.id, run.id, 'difference', 'lost', 'gained', 'p'],
      changes.map(({ suite, withContext, before, after, change, lost, gained, p }) => [
        suite,
        withContext ? 'with context' : 'weights',
        marked(before),
        marked(after),
        change === null ? 'no item of both' : changeText(change, 'share'),
        String(lost),
        String(gained),
        pText(p),
      ]),
    ),
    ...(changes.some(({ before, after }) => before.overridden + after.overridden > 0)
      ? [`${OVERRIDDEN} with verdicts that a person overrode`]
      : []),
    ...warnings.map((text) => `Careful: ${text}`),
  ].join('\n');
}
