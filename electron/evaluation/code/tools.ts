import type { RunnerClient } from '../../processes/index.ts';

/** What graders need of the outside. */
export type CodeTools = {
  runner: Pick<RunnerClient, 'grade' | 'extract' | 'hello'>;
  /** Processes that want a processor, averaged over the last minute (os.loadavg()[0]); kept with every verdict. */
  loadAverage: () => number;
};
