/**
 * Child: stands between the engine and the supervisor's real worker, passes every line on in both directions, and spoils
 * answers to reviews in one way.
 *
 *     supervisor-between.ts BEHAVIOUR ONCE_FILE WORKER...
 *
 * A behaviour named `...-once` is shown by the first process only: it leaves ONCE_FILE behind for those after it.
 */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';

type Message = { id?: number; method?: string; result?: Record<string, unknown> };

const [behaviour = '', onceFile = '', ...worker] = process.argv.slice(2);
const isOnce = behaviour.endsWith('-once');
const spoils = !isOnce || !existsSync(onceFile);
const way = behaviour.replace(/-once$/, '');

const engine = new Socket({ fd: 3, readable: true, writable: true });
const child = spawn(process.execPath, worker, { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
const channel = child.stdio[3] as Socket;
child.on('exit', (code) => process.exit(code ?? 1));
engine.on('close', () => process.exit(0));

const reviews = new Set<number>();
let answered = 0;

const pass = (line: string): void => void engine.write(`${line}\n`);
const say = (message: object): void => pass(JSON.stringify(message));
/** The channel is full duplex and buffered; what was written must be on its way before the end. */
const sayAndEnd = (text: string, code: number): void => void engine.write(text, () => process.exit(code));

createInterface({ input: engine }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as Message;
  if (method === 'load' && way === 'die-on-load') process.exit(9);
  if (method === 'review' && id !== undefined) {
    reviews.add(id);
    if (way === 'die-in-review' && spoils) {
      if (isOnce) writeFileSync(onceFile, '');
      process.kill(process.pid, 'SIGKILL');
    }
  }
  channel.write(`${line}\n`);
});

createInterface({ input: channel }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  const isReview = message.id !== undefined && reviews.has(message.id) && message.result !== undefined;
  if (!isReview) return pass(line);
  answered += 1;
  if (!spoils || (isOnce && answered > 1)) return pass(line);
  if (isOnce) writeFileSync(onceFile, '');
  spoil(message as Required<Message>, line);
});

function spoil(message: Required<Message>, line: string): void {
  switch (way) {
    case 'late':
      return void setTimeout(() => pass(line), 400 * (1 + (answered % 3)));
    case 'never':
      return;
    case 'wrong-id':
      return say({ ...message, id: message.id + 1_000_000 });
    case 'twice': {
      pass(line);
      return pass(line);
    }
    case 'malformed':
      return pass(line.slice(0, -7).replaceAll('"', ''));
    case 'half-line':
      return sayAndEnd(line.slice(0, line.length / 2), 0);
    case 'empty':
      return say({ ...message, result: {} });
    case 'empty-line':
      return pass('');
    case 'oversized':
      return say({ ...message, result: { ...message.result, text: 'x'.repeat(5 * 1024 * 1024) } });
    case 'not-utf8':
      return void engine.write(Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]));
    case 'no-review':
      return say({ ...message, result: { ...message.result, value: { verdict: 42 } } });
    case 'cut-off':
      return say({ ...message, result: { ...message.result, value: null, stopReason: 'length' } });
    case 'unknown-issue':
      return say({
        ...message,
        result: {
          ...message.result,
          value: { issues: ['no-such-issue'], decision: 'retry', feedback: 'Start again.' },
        },
      });
    default:
      throw new Error(`There is no behaviour "${behaviour}".`);
  }
}
