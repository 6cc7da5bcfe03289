import { describeOutcome } from './describe.ts';
import type { Fault } from './fault.ts';
import { LAB_FAULTS } from './lab-faults.ts';
import { RUNNER_FAULTS } from './runner-faults.ts';
import { SUPERVISOR_FAULTS } from './supervisor-faults.ts';
import { TRAINER_FAULTS } from './trainer-faults.ts';

/** Every fault that is injected, with what is promised for it. */
export const FAULTS: readonly Fault[] = [
  ...SUPERVISOR_FAULTS,
  ...TRAINER_FAULTS,
  ...RUNNER_FAULTS,
  ...LAB_FAULTS,
];

/** The table as people read it, in Markdown. */
export function faultTable(): string {
  const rows = FAULTS.map(
    ({ name, how, outcome }) =>
      `| ${[name, how, describeOutcome(outcome)].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
  return `${['| fault | brought about by | what is promised |', '|---|---|---|', ...rows].join('\n')}\n`;
}
