import { parentPort } from 'node:worker_threads';
import { READERS } from './readers.ts';

type Asked = { module: string; reader: string; text: string } | 'pace';

const WORDS = 'a word, and 1 more; '.repeat(20_000);
/** A fixed piece of the work that readers do: how fast this machine is now. */
const pace = (text: string): unknown => [...text.matchAll(/\p{L}+|\d+|\s+|[^\p{L}\d\s]/gu)].length;

parentPort!.on('message', (asked: Asked) => {
  const [read, text] =
    asked === 'pace' ? [pace, WORDS] : [READERS[asked.module]!.reads[asked.reader]!, asked.text];
  const before = process.threadCpuUsage();
  let thrown: string | null = null;
  try {
    read(text);
  } catch (error) {
    thrown = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  const { user, system } = process.threadCpuUsage(before);
  parentPort!.postMessage({ milliseconds: (user + system) / 1000, thrown }, []);
});
parentPort!.postMessage('ready', []);
