import type { Program } from '../program.ts';

/** `anchor doctor`. */
export function addDoctor(program: Program): void {
  program.command
    .command('doctor')
    .description(
      'Try every part for real (Python, sandbox, supervisor, models, disk) and name the fix for what is missing. Exit code 1 when something is.',
    )
    .action(async () => {
      await program.withEngine(async (engine) => {
        const findings = await engine.doctor();
        program.print(findings, () =>
          findings
            .map(
              ({ part, ok, detail, fix }) =>
                `${ok ? 'ok  ' : 'FIX '} ${part.padEnd(11)} ${detail}${fix === null ? '' : `\n                 → ${fix}`}`,
            )
            .join('\n'),
        );
        if (findings.some((finding) => !finding.ok)) program.exitCode = 1;
      });
    });
}
