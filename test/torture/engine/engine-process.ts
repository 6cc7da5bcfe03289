/**
 * Child: an engine that works on one run and tells what happens, one JSON object a line on standard output.
 *
 *     engine-process.ts LAB APPLICATION run CONFIG.json | resume RUN [NODE]
 *
 * APPLICATION is the folder with native/, resources/ and .venv/. NODE is the program that runs the supervisor's worker, this
 * one by default. Ends with 0 when the run is done and with 1, after one sentence on standard error, when it is not.
 */
import { readFileSync, writeSync } from 'node:fs';
import { Failure, runConfigSchema } from '../../../electron/contract/index.ts';
import { Engine } from '../../../electron/engine/index.ts';

const [lab = '', application = '', verb = '', what = '', node] = process.argv.slice(2);
if (node !== undefined) process.execPath = node;

const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const complain = (error: unknown): void => {
  process.stderr.write(`${error instanceof Failure ? `${error.kind}: ${error.message}` : (error as Error).stack}\n`);
  process.exitCode = 1;
};

try {
  const engine = await Engine.open({ application, labFolder: lab, clock: { now: () => new Date(), monotonicMs: () => performance.now() } });
  try {
    engine.onProgress(({ step, stage }) => say({ step, stage }));
    const { id } = verb === 'run' ? engine.startRun(runConfigSchema.parse(JSON.parse(readFileSync(what, 'utf8')))) : engine.resume(what).run;
    say({ run: id });
    const { state, reason } = await engine.waitFor(id);
    if (state !== 'done') throw new Failure(state, reason ?? '');
  } finally {
    await engine.close();
  }
} catch (error) {
  complain(error);
}
