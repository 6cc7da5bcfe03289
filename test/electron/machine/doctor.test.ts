import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { examine } from '../../../electron/machine/doctor.ts';
import { findingsOf } from '../../support/engine.ts';
import { makeLab, type Lab } from '../engine/in-engine.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

describe('The doctor', () => {
  it('uses every part for real and finds nothing to mend', async () => {
    const findings = await findingsOf(lab.engine);
    expect(findings.map(({ part }) => part)).toEqual([
      'node',
      'python',
      'vllm',
      'sandbox',
      'supervisor',
      'policy',
      'grader',
      'lab folder',
      'permissions',
      'run folders',
      'database',
    ]);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(findings.find(({ part }) => part === 'grader')?.detail).toContain('math-verify 0.8.0');
  });

  it('says of each part that does not work what to do', async () => {
    const nowhere = join(lab.scratch, 'nowhere');
    const { resources, lab: folder, store } = lab.engine;
    const broken = (
      await examine(
        {
          resources: {
            ...resources,
            python: join(nowhere, 'python'),
            embeddedSupervisor: join(nowhere, 'x.gguf'),
            embeddedPolicy: nowhere,
          },
          lab: folder,
          store: { ...store, notices: () => ['Two folders belong to no run.', 'Steps are lost.'] },
        },
        { signal: new AbortController().signal, total: () => {}, at: () => {} },
      )
    ).filter(({ ok }) => !ok);
    expect(broken.map(({ part }) => part)).toEqual([
      'python',
      'sandbox',
      'supervisor',
      'policy',
      'grader',
      'run folders',
    ]);
    expect(broken.at(-1)?.detail).toBe('Two folders belong to no run. Steps are lost.');
    for (const { fix } of broken) expect(fix).toMatch(/\w+/);
  });
});
