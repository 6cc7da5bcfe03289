import { describe, expect, it } from 'vitest';
import type { GpuSample, LiveEvent, ResourceSample } from '../../../electron/contract/index.ts';
import { ProcessMonitor } from '../../../electron/machine/process-monitor.ts';
import { parseStat, readProcesses, residentBytes, subtree } from '../../../electron/machine/measure.ts';
import { ResourceMeter, stepUsage } from '../../../electron/machine/resource-meter.ts';

/** A card of which the driver tells its size alone. */
const CARD: GpuSample = {
  index: 0,
  name: 'a',
  busy: null,
  memoryUsed: 4,
  memoryTotal: 99,
  memoryOurs: null,
  memoryOthers: null,
  celsius: null,
  watts: null,
  wattsLimit: null,
  isSplit: false,
  slowedBy: [],
};

type ChildEvent = Extract<LiveEvent, { kind: 'child' }>;

describe('the watch over child processes', () => {
  const watchAt = () => {
    const clock = { ms: 0 };
    const told: ChildEvent[] = [];
    const watch = new ProcessMonitor(
      (event) => {
        if (event.kind === 'child') told.push(event);
      },
      () => clock.ms,
    );
    return {
      clock,
      told,
      watch,
      states: () => told.map(({ child, state, seconds }) => `${child} ${state} ${seconds}`),
    };
  };

  it('tells silence once, with the limit after which the process is given up, and that it is back', () => {
    const { clock, told, watch, states } = watchAt();
    const { onState, onEvent } = watch.follow('trainer', 'run-1', 'trainer of run-1');
    onState({ state: 'running', pid: 42 });
    onEvent('heartbeat', { activeReqs: 0, lastProgressTs: 1 });
    for (const ms of [4_000, 9_000, 12_000]) {
      clock.ms = ms;
      watch.poll();
    }
    onEvent('heartbeat', { activeReqs: 0, lastProgressTs: 1 });
    watch.poll();
    expect(states()).toEqual(['trainer silent 9', 'trainer ready 0']);
    expect(told[0]).toMatchObject({ runId: 'run-1', limitSeconds: 30 });
    watch.close();
  });

  it('tells a process whose heart beats but whose request stands still', () => {
    const { clock, watch, states } = watchAt();
    const { onState, onEvent } = watch.follow('trainer', 'run-1', 'trainer of run-1');
    onState({ state: 'running', pid: 42 });
    for (let ms = 0; ms <= 62_000; ms += 2_000) {
      clock.ms = ms;
      onEvent('heartbeat', { activeReqs: 1, lastProgressTs: 7 });
      watch.poll();
    }
    onEvent('heartbeat', { activeReqs: 1, lastProgressTs: 8 });
    watch.poll();
    expect(states()).toEqual(['trainer busy 60', 'trainer ready 0']);
    watch.close();
  });

  it('tells a lost process with the reason, measures it no more, and says nothing of one that was ended on purpose', () => {
    const { told, watch, states } = watchAt();
    const { onState } = watch.follow('supervisor', null, 'supervisor');
    watch.follow('trainer', 'run-1', 'trainer of run-1').onState({ state: 'running', pid: 7 });
    onState({ state: 'running', pid: 42 });
    onState({ state: 'restarting', afterMs: 2000, reason: 'It was killed.' });
    expect(told.at(-1)).toMatchObject({
      child: 'supervisor',
      runId: null,
      state: 'lost',
      detail: 'It was killed.',
    });
    expect(watch.living()).toEqual([{ name: 'trainer', runId: 'run-1', pid: 7 }]);
    expect(watch.statesOf('run-1').map(({ child }) => child)).toEqual(['supervisor', 'trainer']);
    watch.forgetRun('run-1');
    onState({ state: 'running', pid: 43 });
    expect(states()).toEqual(['supervisor lost 2', 'supervisor ready 0']);
    expect(watch.living().map(({ pid }) => pid)).toEqual([43]);
    watch.close();
  });
});

describe('what a process takes', () => {
  it('is read from a line whose name may hold anything', () => {
    const fields = ['S', 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 250, 50, 9, 9, 20, 0, 1, 0, 0, 0, 77];
    expect(parseStat(5, `5 (a) b (c) ${fields.join(' ')}`)).toEqual({ pid: 5, parent: 11, cpuSeconds: 3 });
  });
  it('counts its descendants but not those that are counted by themselves', () => {
    const tree = [
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 1],
      [5, 4],
    ].map(([pid, parent]) => ({ pid: pid as number, parent: parent as number, cpuSeconds: 1 }));
    expect(
      subtree(tree, 1, new Set([4]))
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([1, 2, 3]);
    expect(subtree(tree, 9, new Set())).toEqual([]);
  });
  it.runIf(process.platform === 'linux')('finds this process among all, with the memory it holds', () => {
    expect(readProcesses()?.some(({ pid }) => pid === process.pid)).toBe(true);
    expect(residentBytes(process.pid)).toBeGreaterThan(10e6);
  });
  it('is not told where there is no /proc', () => {
    expect([readProcesses('/nowhere'), residentBytes(process.pid, '/nowhere')]).toEqual([null, null]);
  });
});

describe('the meter', () => {
  it('measures the machine and this process, keeps the samples and tells them', () => {
    let ms = 0;
    const told: LiveEvent[] = [];
    const meter = new ResourceMeter({
      labRoot: '/',
      living: () => [],
      emit: (event) => told.push(event),
      now: () => new Date(0),
      nowMs: () => ms,
    });
    const first = meter.sample();
    expect([first.cpu, first.processes[0]?.cpu ?? null]).toEqual([null, null]);
    // Work to be measured: the kernel counts it in hundredths of a second.
    for (const from = process.cpuUsage(); process.cpuUsage(from).user < 50_000;) Math.sqrt(2);
    ms = 1000;
    const second = meter.sample();
    expect([first.others, (second.others ?? -1) >= 0]).toEqual([null, process.platform === 'linux']);
    expect(second.others ?? 0).toBeLessThanOrEqual(second.cores);
    expect(second.memory.used).toBeGreaterThan(0);
    expect(second.memory.used).toBeLessThan(second.memory.total);
    expect(second.disk?.total).toBeGreaterThan(second.disk?.free ?? Infinity);
    if (process.platform === 'linux') expect(second.processes[0]?.cpu).toBeGreaterThan(0);
    expect(meter.kept()).toEqual([first, second]);
    expect(told).toHaveLength(2);
  });
  it('does not measure twice within a moment, where shares would be noise', () => {
    const meter = new ResourceMeter({
      labRoot: '/',
      living: () => [],
      emit: () => {},
      now: () => new Date(0),
      nowMs: () => 5,
    });
    expect(meter.sample()).toBe(meter.sample());
  });
  it('sums up a step: shares as means, memory as peaks, only of the run and what all share', () => {
    const sample = (cpu: number | null, trainer: number, foreign: number): ResourceSample => ({
      at: '2026-01-01T00:00:00.000Z',
      cpu,
      cores: 2,
      others: cpu,
      memory: { used: trainer * 10, total: 1e6 },
      disk: { free: 1000 - trainer, total: 1e6 },
      gpus: [
        { ...CARD, name: 'a', busy: 0.5, memoryUsed: trainer, memoryOurs: 1, watts: 100, celsius: 60 },
        { ...CARD, name: 'b', busy: 1, memoryUsed: 1, memoryOurs: 0, watts: 20, slowedBy: ['heat'] },
      ],
      gpuProblem: null,
      processes: [
        { name: 'trainer', runId: 'mine', cpu: trainer, memory: trainer },
        { name: 'trainer', runId: 'other', cpu: foreign, memory: foreign },
        { name: 'runner', runId: null, cpu: null, memory: 4 },
      ],
    });
    expect(stepUsage([sample(null, 2, 100), sample(0.5, 4, 100)], 'mine')).toEqual({
      'resources/cpu_share': 0.5,
      // What others took, and the other run's trainer.
      'resources/others_cores': 100.5,
      'resources/cores': 2,
      'resources/memory_bytes': 40,
      'resources/trainer/cores': 3,
      'resources/trainer/memory_bytes': 4,
      'resources/runner/memory_bytes': 4,
      'resources/gpu_share': 0.75,
      'resources/gpu_memory_bytes': 5,
      'resources/gpu_memory_ours_bytes': 1,
      'resources/gpu_celsius': 60,
      'resources/gpu_watts': 120,
      'resources/gpu_slowed_share': 0.5,
      'resources/disk_free_bytes': 996,
    });
    expect(stepUsage([], 'mine')).toEqual({});
    const untold = { ...sample(0.5, 4, 100), gpus: [CARD, { ...CARD, memoryUsed: null }] };
    expect(Object.keys(stepUsage([untold], 'mine')).filter((name) => name.includes('gpu'))).toEqual([
      'resources/gpu_slowed_share',
    ]);
  });
});
