/** Child: `waiting-engine.ts LAB CONFIG` starts a run and, once three questions wait for a person, prints them and waits to be killed. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { Engine } from '../../../electron/engine/index.ts';

const [labFolder = '', config = ''] = process.argv.slice(2);
const engine = await Engine.open({
  application: join(import.meta.dirname, '../../..'),
  labFolder,
  clock: { now: () => new Date(), monotonicMs: () => performance.now() },
});
const { id: runId } = engine.startRun(runConfigSchema.parse(JSON.parse(config)));
while (engine.people.questions(runId).length < 3) await pause(20);
process.stdout.write(
  `${JSON.stringify({ runId, asked: engine.people.questions(runId).map(({ id }) => id) })}\n`,
);
setInterval(() => {}, 60_000);
