/** The engine as a process of its own, started by the desktop shell: `engine.js <application folder>`. The lab is the user's, see defaultLabFolder. */
import { performance } from 'node:perf_hooks';
import { Failure } from '../../contract/index.ts';
import { createRouter, Engine, launchNodeProgramsWith, type Port } from '../../engine/index.ts';
import { AirGapLog, finishSteps, followEnds, runsAtWork } from './shell-reports.ts';
import { ProgramBroker, WindowSockets } from './channels.ts';
import type { FromEngine, ToEngine } from './messages.ts';
import { serveLab } from '../served-lab.ts';
import { defaultLabFolder } from '../../library/index.ts';

/** Electron gives it to utility processes. */
type ParentPort = {
  on(event: 'message', listener: (event: { data: ToEngine; ports: Port[] }) => void): unknown;
  postMessage(message: FromEngine, transfer: never[]): void;
};

const { parentPort } = process as unknown as { parentPort: ParentPort };
const [application = ''] = process.argv.slice(2);
const labFolder = defaultLabFolder(process.env);
const send = (message: FromEngine): void => parentPort.postMessage(message, []);

const programs = new ProgramBroker(send);
launchNodeProgramsWith(programs.launch);

// Opening a large lab takes a moment; what the window says meanwhile is kept in order.
const opening = Engine.open({
  application,
  labFolder,
  clock: { now: () => new Date(), monotonicMs: () => performance.now() },
});
const ended = new AbortController();
let closing: Promise<void> | null = null;

const serving = opening.then(async (engine) => {
  const { told } = engine.lab.access;
  if (told !== null) process.stderr.write(`${told}\n`);
  // The command line reaches the lab here while the window is open.
  const host = await serveLab(engine, { port: 0, bundle: null });
  const sockets = new WindowSockets(createRouter(engine), send);
  const airGap = new AirGapLog(engine);
  void followEnds(engine, (run) => send({ kind: 'runEnded', run }), ended.signal);
  send({ kind: 'ready', lab: labFolder, takenUp: engine.startQueued() });
  return { engine, sockets, airGap, host };
});
let hasFailed = false;
serving.catch((error: unknown) => {
  hasFailed = true;
  // The shell shows the sentence; the stack is for its log.
  if (!(error instanceof Failure))
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  send({
    kind: 'failed',
    sentence:
      error instanceof Failure
        ? error.message
        : `The engine could not start: ${error instanceof Error ? error.message : String(error)}`,
  });
  // The message is on its way in another thread; ending at once could overtake it.
  setTimeout(() => process.exit(1), 200);
});

async function close(): Promise<void> {
  ended.abort();
  await (await serving).host.close();
  await (await opening).close();
  process.exit(0);
}

async function act(data: ToEngine): Promise<void> {
  const { engine, sockets, airGap } = await serving;
  switch (data.kind) {
    case 'socket':
      return sockets.receive(data);
    case 'blocked':
      return airGap.note(data.attempt);
    case 'askWork':
      return send({ kind: 'work', id: data.id, runs: runsAtWork(engine) });
    case 'finishSteps':
      await finishSteps(engine);
      return send({ kind: 'stepsFinished' });
    case 'close':
      closing ??= close();
      return closing;
    case 'program':
      return;
  }
}

parentPort.on('message', ({ data, ports }) => {
  // News of programs is never held back: closing waits for them.
  if (data.kind === 'program') programs.receive(data, ports);
  else
    act(data).catch((error: unknown) => {
      if (!hasFailed)
        process.stderr.write(
          `engine: ${data.kind}: ${error instanceof Error ? error.stack : String(error)}\n`,
        );
    });
});
