import { childrenOf, type Life } from '../engine/launch.ts';
import type { Fault, Outcome } from './fault.ts';
import { stopped, victimOf } from './supervisor-faults.ts';

const goesOn: Outcome = { kind: 'goesOn' };
/** No bwrap in it. */
const WITHOUT_BWRAP = 'export PATH=/nonexistent';

/** Every process below the broker gets the signal: bubblewrap, the zygotes and the program in them. */
const toSandbox =
  (signal: NodeJS.Signals) =>
  async (life: Life): Promise<void> => {
    const below = childrenOf(await victimOf(life, 'runner'));
    if (below.length === 0) throw new Error('The broker had no sandbox to be hit.');
    for (const { pid } of below) {
      try {
        process.kill(pid, signal);
      } catch {
        // It ended by itself in this instant.
      }
    }
  };

export const RUNNER_FAULTS: Fault[] = [
  {
    name: 'runner dies at work',
    how: 'SIGKILL to the broker',
    full: true,
    outcome: goesOn,
    arrange: () => ({ during: async (life) => void process.kill(await victimOf(life, 'runner'), 'SIGKILL') }),
  },
  {
    name: 'runner hangs',
    how: 'SIGSTOP to the broker',
    outcome: goesOn,
    arrange: () => ({ during: stopped('runner') }),
  },
  {
    name: "runner's sandboxes die",
    how: 'SIGKILL to every process below the broker',
    outcome: goesOn,
    arrange: () => ({ during: toSandbox('SIGKILL') }),
  },
  {
    name: 'bubblewrap is missing',
    how: 'a search path without it; Landlock takes over',
    outcome: goesOn,
    arrange: ({ application }) => {
      application.beforeEvery('runner', WITHOUT_BWRAP);
      return {};
    },
  },
  {
    name: 'the wanted sandbox level is not to be had',
    how: 'level L3 without bubblewrap',
    full: true,
    outcome: {
      kind: 'stops',
      sentence: /cannot be executed safely here .*bubblewrap is not installed; install it with/,
    },
    config: (run) => ({ ...run, sandbox: { ...run.sandbox, level: 'L3' } }),
    arrange: ({ application }) => {
      application.beforeEvery('runner', WITHOUT_BWRAP);
      return {};
    },
  },
  {
    name: 'runner sends a line that is no JSON',
    how: 'a shell that prints before the broker starts',
    outcome: {
      kind: 'stops',
      sentence: /The runner sent a line that is not a JSON object: "loading modules\.\.\."/,
    },
    arrange: ({ application }) => {
      application.beforeNext('runner', 'echo "loading modules..."');
      return {};
    },
  },
  {
    name: 'runner never starts',
    how: 'it exits at once',
    outcome: { kind: 'stops', sentence: /The runner/ },
    arrange: ({ application }) => {
      application.beforeEvery('runner', 'exit 3');
      return {};
    },
  },
  {
    name: 'Python is missing',
    how: 'the interpreter cannot be executed',
    outcome: { kind: 'stops', sentence: /The (runner|trainer)/ },
    arrange: ({ application }) => {
      for (const program of ['runner', 'trainer'] as const)
        application.beforeEvery(program, 'exec /nonexistent/python');
      return {};
    },
  },
];
