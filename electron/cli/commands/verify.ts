import { join } from 'node:path';
import { Failure, type Verification, type Verifications } from '../../contract/index.ts';
import { doJob } from '../progress.ts';
import { wholeNumber, type Program, type Records } from '../program.ts';
import { formatDuration, renderTable } from '../table.ts';

/** `anchor verify`: what a lab stored, computed again by a program that shares no rule with the one that stored it. */
export function addVerify(program: Program): void {
  program.command
    .command('verify')
    .description(
      'Compute again what runs and evaluations stored, by rules of its own, and say what differs. Only reads; the lab may be at work. Exit code 1 when something differs.',
    )
    .argument(
      '[names...]',
      'runs, evaluations, or an experiment, which stands for its runs (default: everything in the lab)',
    )
    .option(
      '--sample <number>',
      'answers of each run that are scored again under their weights',
      wholeNumber,
      24,
    )
    .action(async (names: string[], { sample }: { sample: number }) => {
      const { findPython, verifyLab } = await import('../../machine/index.ts');
      const { resourcePaths, SAMPLE_FOLDER } = await import('../../library/index.ts');
      const lab = await program.labFolder();
      const { setting, ofSample } = await program.withSample(names, (records, recorded) => ({
        setting: records.getSetting('app.python'),
        ofSample: names.filter((name) => recorded !== null && isIn(recorded, name)),
      }));
      const others = names.filter((name) => !ofSample.includes(name));
      const parts = [
        ...(others.length > 0 || names.length === 0 ? [{ lab, ids: others }] : []),
        ...(ofSample.length > 0 ? [{ lab: join(lab, SAMPLE_FOLDER), ids: ofSample }] : []),
      ];
      const { application } = program;
      const { python } = findPython({
        application,
        labRoot: lab,
        setting,
        environment: program.terminal.environment,
      });
      const resources = { ...resourcePaths(application), python };
      let refusal: unknown = null;
      const { result, problem } = await doJob<Verifications>(
        program,
        { kind: 'verify', title: 'Verify', unit: 'record' },
        async (job) => {
          const found: Verifications[] = [];
          try {
            for (const part of parts)
              found.push(await verifyLab({ lab: part.lab, resources }, { ids: part.ids, sample }, job));
          } catch (error) {
            refusal = error;
            throw error;
          }
          return together(found);
        },
      );
      if (refusal instanceof Failure && refusal.exitCode === 2) throw refusal;
      if (result === null) return program.fail(problem ?? 'Nothing was verified.');
      program.print(result, () => result.reports.map(reportText).join('\n\n'));
      if (result.differing > 0) program.exitCode = 1;
    });
}

/** Whether it names a run or an evaluation there. */
const isIn = (records: Records, name: string): boolean =>
  records.getRun(name) !== null || records.listStoredEvaluations({ ids: [name] }).length > 0;

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** What was found in the lab and in the recorded sample, which have a database each. */
const together = (found: readonly Verifications[]): Verifications => ({
  reports: found.flatMap(({ reports }) => reports),
  differing: sum(found.map(({ differing }) => differing)),
  seconds: sum(found.map(({ seconds }) => seconds)),
});

function reportText({ kind, id, title, seconds, checked, differing, rules }: Verification): string {
  const head = `${kind === 'run' ? 'Run' : 'Evaluation'} ${id} (${title}): ${checked.toLocaleString('en')} values computed again in ${formatDuration(seconds)}, ${differing === 0 ? 'none differs' : `${differing.toLocaleString('en')} differ`}.`;
  const rows = rules
    .filter(({ checked: compared, skipped }) => compared > 0 || skipped.length > 0)
    .map(({ rule, checked: compared, differing: wrong, skipped }) => [
      rule,
      String(compared),
      String(wrong),
      String(sum(skipped.map(({ count }) => count))),
    ]);
  const firsts = rules.flatMap(({ rule, says, first, further, source }) =>
    first === null
      ? []
      : [
          `${rule}: ${first.about}\n  stored     ${oneLine(first.stored)}\n  recomputed ${oneLine(first.recomputed)}\n  rule       ${says} (${source})${further.length === 0 ? '' : `\n  further    ${further.join('; ')}`}`,
        ],
  );
  const skipped = rules.flatMap(({ rule, skipped: reasons }) =>
    reasons.map(({ why, count }) => `${rule}: ${count.toLocaleString('en')} not checked, ${why}`),
  );
  return [
    head,
    renderTable(['rule', 'checked', 'differing', 'not checked'], rows),
    ...(firsts.length === 0 ? [] : [`First differences:\n${firsts.join('\n')}`]),
    ...(skipped.length === 0 ? [] : [skipped.join('\n')]),
  ].join('\n\n');
}

/** A value on one line of a terminal. */
const oneLine = (text: string): string => text.replaceAll('\n', '\\n');
