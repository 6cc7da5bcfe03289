import { join, resolve } from 'node:path';
import { exportEvidence } from '../air-gap/evidence.ts';
import { runSelfTest, selfTestObstacle } from '../air-gap/self-test.ts';
import type { Engine } from '../engine.ts';
import { router, verb } from './verb.ts';

/** The command line that the self-test runs; there in a checkout only. */
const commandLine = ({ resources }: Engine): string =>
  join(resolve(resources.suites, '../..'), 'electron/cli/anchor.ts');

/** Whether anything reached out: what was seen, what was refused, and a test that would have seen it. */
export const airGapVerbs = (engine: Engine) =>
  router({
    state: verb.query(async () => ({
      ...engine.airGap.state(),
      selfTestObstacle: await selfTestObstacle(commandLine(engine)),
    })),
    selfTest: verb.mutation(() =>
      engine.jobs.start({ kind: 'self-test', title: 'Air-gap self-test', unit: 'part' }, (job) =>
        runSelfTest(engine, commandLine(engine), job),
      ),
    ),
    exportEvidence: verb.mutation(() => exportEvidence(engine, engine.airGap.state())),
  });
