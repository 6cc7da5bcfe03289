import { parentPort } from 'node:worker_threads';
import { READERS } from './readers.ts';

parentPort!.on('message', ({ module, reader, text }: { module: string; reader: string; text: string }) => {
  const read = READERS[module]!.reads[reader]!;
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
