import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LiveEvent, ResourceSample } from '../../../electron/contract/index.ts';
import {
  parseGpuProcesses,
  parseGpus,
  readGpuProcesses,
  readGpus,
  withOwners,
} from '../../../electron/machine/gpus.ts';
import { ResourceMeter } from '../../../electron/machine/resource-meter.ts';

const MIB = 1024 * 1024;
/** The form of drivers from 535 on: one card under load that its power limit slows down, and an idle one. */
const TWO_CARDS = `0, GPU-11, NVIDIA H100 80GB HBM3, 97, 61440, 81559, 71, 699.51, 700.00, Disabled, 0x0000000000000004
1, GPU-22, NVIDIA H100 80GB HBM3, 0, 4, 81559, 33, 70.02, 700.00, Disabled, 0x0000000000000001
`;

describe('what nvidia-smi says of cards', () => {
  it('is read field by field: use, memory, temperature, power and what slows a card down', () => {
    const [busy, idle] = parseGpus(TWO_CARDS);
    expect(busy).toEqual({
      index: 0,
      uuid: 'GPU-11',
      name: 'NVIDIA H100 80GB HBM3',
      busy: 0.97,
      memoryUsed: 61440 * MIB,
      memoryTotal: 81559 * MIB,
      celsius: 71,
      watts: 699.51,
      wattsLimit: 700,
      isSplit: false,
      slowedBy: ['power'],
    });
    expect([idle?.index, idle?.busy, idle?.slowedBy]).toEqual([1, 0, []]);
  });
  it('keeps a name with commas whole', () => {
    expect(
      parseGpus('0, GPU-1, Quadro A, B, 37, 1024, 2048, 50, 30.5, 75.00, [N/A], 0x0000000000000000\n')[0],
    ).toMatchObject({ name: 'Quadro A, B', busy: 0.37, memoryTotal: 2048 * MIB, watts: 30.5 });
  });
  it.each(['[N/A]', 'N/A', '[Not Supported]', '[Unknown Error]', '[Insufficient Permissions]', ''])(
    'is null where it says "%s", and the rest of the line stays',
    (unsaid) => {
      const line = `0, GPU-1, GeForce GT 1030, ${unsaid}, 512, 2048, ${unsaid}, ${unsaid}, ${unsaid}, ${unsaid}, ${unsaid}`;
      expect(parseGpus(line)).toEqual([
        {
          index: 0,
          uuid: 'GPU-1',
          name: 'GeForce GT 1030',
          busy: null,
          memoryUsed: 512 * MIB,
          memoryTotal: 2048 * MIB,
          celsius: null,
          watts: null,
          wattsLimit: null,
          isSplit: false,
          slowedBy: [],
        },
      ]);
    },
  );
  it('tells a card that MIG splits, of which no use is told', () => {
    const [card] = parseGpus(
      '0, GPU-1, NVIDIA A100-SXM4-40GB, [N/A], 20480, 40960, 45, 120.00, 400.00, Enabled, 0x0000000000000000\n',
    );
    expect([card?.isSplit, card?.busy, card?.memoryUsed]).toEqual([true, null, 20480 * MIB]);
  });
  it.each([
    ['0x0000000000000004', ['power']],
    ['0x0000000000000068', ['hardware', 'heat']],
    ['0x00000000000000E0', ['heat', 'power-brake']],
    ['0x0000000000000113', []],
    ['Active', []],
  ])('reads the reasons %s', (mask, reasons) => {
    const line = `0, GPU-1, A, 1, 1, 1, 1, 1, 1, Disabled, ${mask}`;
    expect(parseGpus(line)[0]?.slowedBy).toEqual(reasons);
  });
  it('leaves out a card that tells nothing, and lines that are none', () => {
    expect(
      parseGpus('0, GPU-1, A, [N/A], [N/A], [N/A], 1, 1, 1, Disabled, 0x0\nNo devices were found\n'),
    ).toEqual([]);
  });
});

describe('whose the memory of a card is', () => {
  const cards = parseGpus(TWO_CARDS);
  it('is told by its processes: this lab’s, and all others', () => {
    const processes = parseGpuProcesses('GPU-11, 100, 40000\nGPU-11, 200, 20000\nGPU-22, 300, 4\n\n');
    expect(processes).toHaveLength(3);
    const [first, second] = withOwners(cards, processes, new Set([100]));
    expect([first?.memoryOurs, first?.memoryOthers]).toEqual([40000 * MIB, 21440 * MIB]);
    expect([second?.memoryOurs, second?.memoryOthers]).toEqual([0, 4 * MIB]);
  });
  it('is not known where the driver names no process or not its size', () => {
    expect(withOwners(cards, [], new Set([100]))[0]).toMatchObject({ memoryOurs: null, memoryOthers: null });
    const unsized = parseGpuProcesses('GPU-11, 100, [N/A]\n');
    expect(withOwners(cards, unsized, new Set([100]))[0]).toMatchObject({
      memoryOurs: null,
      memoryOthers: null,
    });
  });
});

describe('the program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-smi-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const stand = (name: string, script: string): string => {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const refusing = (unknown: string): string => `case "$1" in *${unknown}*)
    echo 'Field "${unknown}" is not a valid field to query.'; exit 2;; esac`;
  const old = stand(
    'old',
    `${refusing('clocks_event_reasons.active')}
case "$1" in
  *compute-apps*) echo "GPU-11, 7, 100";;
  *) echo "0, GPU-11, A, 5, 1, 2, 40, 50, 60, Disabled, 0x0000000000000020";;
esac`,
  );

  it('is asked in the form of older drivers where it does not know the newest', async () => {
    const { cards, problem } = await readGpus(old);
    expect([problem, cards[0]?.slowedBy, cards[0]?.busy]).toEqual([null, ['heat'], 0.05]);
    const oldest = stand('oldest', `${refusing('temperature.gpu')}\necho "0, GPU-11, Tesla K80, 5, 1, 2"`);
    expect((await readGpus(oldest)).cards).toMatchObject([{ name: 'Tesla K80', busy: 0.05, celsius: null }]);
    expect(await readGpuProcesses(old)).toEqual([{ uuid: 'GPU-11', pid: 7, bytes: 100 * MIB }]);
  });
  it('is missing, refuses, or is killed when it does not answer in time', async () => {
    expect(await readGpus('no-such-program-here')).toEqual({ cards: [], problem: 'missing' });
    expect(await readGpus('false')).toEqual({ cards: [], problem: 'refused' });
    const pid = join(folder, 'pid');
    const hanging = stand('hanging', `echo $$ > ${pid}; trap '' TERM; exec sleep 60`);
    expect(await readGpus(hanging, 300)).toEqual({ cards: [], problem: 'no-answer' });
  });

  it('is asked by the meter, which says in its sample why there is no card', async () => {
    const samples: ResourceSample[] = [];
    const meterOf = (gpuProgram: string): ResourceMeter =>
      new ResourceMeter({
        labRoot: '/',
        living: () => [],
        emit: (event: LiveEvent) => {
          if (event.kind === 'resources') samples.push(event.sample);
        },
        now: () => new Date(0),
        nowMs: () => performance.now(),
        gpuProgram,
      });
    for (const program of [old, 'no-such-program-here']) {
      const meter = meterOf(program);
      const before = samples.length;
      meter.begin('run-1');
      await expect.poll(() => samples.length, { timeout: 20_000 }).toBeGreaterThan(before);
      meter.end('run-1');
    }
    expect(samples.map(({ gpus, gpuProblem }) => [gpus.length, gpuProblem])).toEqual([
      [1, null],
      [0, 'missing'],
    ]);
  });
});
