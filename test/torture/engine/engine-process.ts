/**
 * Child: an engine that works on one run and tells what happens, one JSON object a line on standard output.
 *
 *     engine-process.ts LAB APPLICATION run CONFIG.json | begin CONFIG.json | resume RUN | export RUN [NODE]
 *
 * `begin` pauses after the first step; `export` writes the run to LAB.export. APPLICATION is the folder with native/, resources/ and .venv/. NODE is the program that runs the supervisor's worker, this
 * one by default. Ends with 0 when the run is done and with 1, after one sentence on standard error, when it is not.
 */
import { readFileSync, writeSync } from 'node:fs';
import { Failure, runConfigSchema } from '../../../electron/contract/index.ts';
import { Engine } from '../../../electron/engine/index.ts';

const [lab = '', application = '', verb = '', what = '', node] = process.argv.slice(2);
if (node !== undefined) process.execPath = node;

const say = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`);
const complain = (error: unknown): void => {
  process.stderr.write(
    `${error instanceof Failure ? `${error.kind}: ${error.message}` : (error as Error).stack}\n`,
  );
  process.exitCode = 1;
};

async function work(engine: Engine): Promise<void> {
  const begin = (): string =>
    engine.startRun(runConfigSchema.parse(JSON.parse(readFileSync(what, 'utf8')))).id;
  const id = verb === 'resume' ? engine.resume(what).run.id : begin();
  engine.onProgress(({ step, stage }) => {
    say({ step, stage });
    if (verb === 'begin' && engine.store.getRun(id)?.state === 'stepping') engine.pause(id);
  });
  const { state, reason } = await engine.waitFor(id);
  if (state !== (verb === 'begin' ? 'paused' : 'done'))
    throw new Failure('stopped', `${state}: ${reason ?? ''}`);
}

try {
  const engine = await Engine.open({
    application,
    labFolder: lab,
    clock: { now: () => new Date(), monotonicMs: () => performance.now() },
  });
  try {
    if (verb === 'export') {
      const { id } = engine.exportRun(what, `${lab}.export`, ['safetensors', 'gguf']);
      const { problem } = await engine.jobs.ended(id);
      if (problem !== null) throw new Failure('ioError', problem);
    } else await work(engine);
  } finally {
    await engine.close();
  }
} catch (error) {
  complain(error);
}
