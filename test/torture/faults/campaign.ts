import { describeOutcome } from './describe.ts';
import type { Fault } from './fault.ts';
import { openStudio, play } from './play.ts';
import { FAULTS } from './table.ts';
import { JsonLines } from '../../../electron/library/index.ts';

/** One line of the state file. `instead` is null when the outcome was the promised one, else what happened. */
export type FaultLine = {
  name: string;
  how: string;
  promised: string;
  instead: string | null;
  seconds: number;
};
export type FaultSummary = {
  kinds: number;
  asPromised: number;
  otherwise: string[];
  /** Not injected, with the reason. */
  leftOut: string[];
};

export type FaultCampaign = {
  folder: string;
  stateFile: string;
  onFault?: (line: FaultLine, done: number, total: number) => void;
  signal?: AbortSignal;
};

/** Several wait for time limits most of the time, so two are played side by side. */
const LANES = 2;

/** Injects every fault that is not in the state file yet, or was not as promised when it was tried last. */
export async function injectFaults({
  folder,
  stateFile,
  onFault,
  signal,
}: FaultCampaign): Promise<FaultSummary> {
  const state = new JsonLines<FaultLine>(stateFile);
  const good = (fault: Fault): boolean =>
    state.lines.findLast(({ name }) => name === fault.name)?.instead === null;
  const isRoot = process.getuid?.() === 0;
  const possible = FAULTS.filter(({ root }) => root !== true || isRoot);
  const waiting = possible.filter((fault) => !good(fault));
  if (waiting.length > 0) {
    const studio = await openStudio(folder);
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
          const began = performance.now();
          const instead = await play(fault, studio).catch(
            (error: Error) => `the test itself failed: ${error.stack}`,
          );
          if (signal?.aborted === true) return; // what ended together with us proves nothing
          const line = {
            name: fault.name,
            how: fault.how,
            promised: describeOutcome(fault.outcome),
            instead,
            seconds: (performance.now() - began) / 1000,
          };
          state.add([line]);
          onFault?.(line, possible.filter(good).length, possible.length);
        }
      }),
    );
  }
  return {
    kinds: FAULTS.length,
    asPromised: possible.filter(good).length,
    otherwise: possible.filter((fault) => !good(fault)).map(({ name }) => name),
    leftOut: FAULTS.filter(({ root }) => root === true && !isRoot).map(
      ({ name }) => `${name}: needs the superuser, to mount a small disk`,
    ),
  };
}
