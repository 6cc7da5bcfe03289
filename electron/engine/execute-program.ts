import type { SandboxConfig } from '../contract/index.ts';
import type { ExecuteProgram } from '../evaluation/index.ts';
import { limitsOf, type RunnerClient } from '../processes/index.ts';

/** Suites run model-written functions through the same sandbox as training does. */
export function executeWith(runner: RunnerClient, sandbox: SandboxConfig): ExecuteProgram {
  const limits = limitsOf(sandbox);
  return async (program, calls) => {
    const result = await runner.run({
      program,
      entry: 'f',
      calls: calls.map((args) => ({ args })),
      limits,
    });
    return calls.map((_, index) => {
      const call = result.calls[index];
      if (call?.status === 'ok' && call.value !== undefined) return { frame: call.value };
      const status = call === undefined || call.status === 'notRun' ? result.status : call.status;
      return { error: status === 'error' ? 'raised' : status };
    });
  };
}
