import { Failure, type Verification, type Verifications } from '../../contract/index.ts';
import { doJob } from '../progress.ts';
import { wholeNumber, type Program } from '../program.ts';
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
      const { resourcePaths } = await import('../../library/index.ts');
      const lab = await program.labFolder();
      const setting = await program.withRecords((records) => records.getSetting('app.python'));
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
        (job) =>
          verifyLab({ lab, resources }, { ids: names, sample }, job).catch((error: unknown) => {
            refusal = error;
            throw error;
          }),
      );
      if (refusal instanceof Failure && refusal.exitCode === 2) throw refusal;
      if (result === null) return program.fail(problem ?? 'Nothing was verified.');
      program.print(result, () => result.reports.map(reportText).join('\n\n'));
      if (result.differing > 0) program.exitCode = 1;
    });
}

function reportText({ kind, id, title, seconds, checked, differing, rules }: Verification): string {
  const head = `${kind === 'run' ? 'Run' : 'Evaluation'} ${id} (${title}): ${checked.toLocaleString('en')} values computed again in ${formatDuration(seconds)}, ${differing === 0 ? 'none differs' : `${differing.toLocaleString('en')} differ`}.`;
  const rows = rules
    .filter(({ checked: compared, skipped }) => compared > 0 || skipped.length > 0)
    .map(({ rule, checked: compared, differing: wrong, skipped }) => [
      rule,
      String(compared),
      String(wrong),
      String(skipped.reduce((sum, { count }) => sum + count, 0)),
    ]);
  const firsts = rules.flatMap(({ rule, says, first, source }) =>
    first === null
      ? []
      : [
          `${rule}: ${first.about}\n  stored     ${oneLine(first.stored)}\n  recomputed ${oneLine(first.recomputed)}\n  rule       ${says} (${source})`,
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
