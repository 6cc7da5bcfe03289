import { execFile } from 'node:child_process';
import type { ResourceSample } from '../../contract/index.ts';

type Gpu = ResourceSample['gpus'][number];

const MIB = 1024 * 1024;
const ANSWER_WITHIN_MS = 5_000; // a driver that is waking up takes a second or two
const QUERY = ['--query-gpu=name,utilization.gpu,memory.used,memory.total', '--format=csv,noheader,nounits'];

/** Asks nvidia-smi. `missing` when there is no such program; no cards when it does not answer this time. */
export function readGpus(program = 'nvidia-smi'): Promise<Gpu[] | 'missing'> {
  return new Promise((resolve) => {
    execFile(program, QUERY, { timeout: ANSWER_WITHIN_MS, windowsHide: true }, (error, stdout) => {
      if (error === null) resolve(parseGpus(stdout));
      else resolve(error.code === 'ENOENT' ? 'missing' : []);
    });
  });
}

/** One line per card: name, per cent busy, MiB used, MiB there. A card that does not tell a number ("[N/A]") is left out. */
export function parseGpus(csv: string): Gpu[] {
  return csv.split('\n').flatMap((line) => {
    const fields = line.split(',').map((field) => field.trim());
    const [busy, used, total] = fields.slice(-3).map(Number) as [number, number, number];
    if (fields.length < 4 || ![busy, used, total].every(Number.isFinite)) return [];
    return [
      {
        name: fields.slice(0, -3).join(', '),
        busy: Math.min(1, busy / 100),
        memoryUsed: used * MIB,
        memoryTotal: total * MIB,
      },
    ];
  });
}
