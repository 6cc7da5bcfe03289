import { closeSync, cpSync, openSync, readSync, rmSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Engine } from '../../../electron/engine/index.ts';
import { judgeModel, withJudge } from '../../../electron/evaluation/judge-service.ts';
import { requireAsResolved, resolveSubject } from '../../../electron/evaluation/index.ts';
import { examine } from '../../../electron/machine/doctor.ts';
import { resolveModel } from '../../../electron/models/index.ts';
import { makeApplication } from '../../torture/engine/application.ts';
import { makeLab, type Lab } from './in-engine.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const WHEN = new Date('2026-01-01T00:00:00Z');
/** Turns one bit over and leaves the file as old as it was; doing it again mends it. */
function flip(file: string): void {
  const byte = Buffer.alloc(1);
  const open = openSync(file, 'r+');
  readSync(open, byte, 0, 1, 200_000);
  byte[0] = (byte[0] as number) ^ 1;
  writeSync(open, byte, 0, 1, 200_000);
  closeSync(open);
  utimesSync(file, WHEN, WHEN);
}

let lab: Lab;
let engine: Engine;
const files: Record<string, string> = {};
beforeAll(async () => {
  lab = await makeLab();
  const application = makeApplication(join(lab.scratch, 'application'));
  const models = application.ownModels();
  const [policy, judge] = [join(lab.scratch, 'mine'), join(lab.scratch, 'judge.gguf')];
  cpSync(join(models, 'policy'), policy, { recursive: true });
  cpSync(join(models, 'supervisor/supervisor.f16.gguf'), judge);
  engine = await Engine.open({
    application: application.folder,
    labFolder: join(lab.scratch, 'other'),
    clock: { now: () => new Date(), monotonicMs: () => performance.now() },
  });
  await engine.importModel(policy, 'Mine');
  await engine.importModel(judge, 'My judge');
  Object.assign(files, {
    'embedded-policy': join(models, 'policy/model.safetensors'),
    'embedded-questions': join(models, 'questions/model.safetensors'),
    'embedded-supervisor': join(models, 'supervisor/supervisor.f16.gguf'),
    'embedded-questions-supervisor': join(models, 'questions-supervisor/supervisor.f16.gguf'),
    Mine: join(policy, 'model.safetensors'),
    [policy]: join(policy, 'model.safetensors'),
    'My judge': judge,
    [judge]: judge,
  });
  for (const file of Object.values(files)) utimesSync(file, WHEN, WHEN);
});
afterAll(async () => {
  await engine.close();
  await lab.remove();
});

/** By a name of the library, or by the path of the same files. */
const named = (name: string): string =>
  name.startsWith('the path of ')
    ? (Object.keys(files).find(
        (other) => other.startsWith('/') && files[other] === files[name.slice('the path of '.length)],
      ) as string)
    : name;

describe('a bit that flipped after a model was planned with, while its size and time stayed', () => {
  it.each(['embedded-policy', 'Mine', 'the path of Mine', 'My judge'])(
    'keeps %s from being scored',
    async (name) => {
      const reference = named(name);
      const file = files[reference] as string;
      const planned = await resolveSubject(engine, reference);
      flip(file);
      const asked = engine.evaluate({
        policy: { model: reference },
        suites: ['toy-refusal'],
        limit: 1,
        seed: 1,
        contexts: [null],
      });
      await expect(asked).rejects.toMatchObject({ kind: 'modelChanged' });
      expect(engine.store.listStoredEvaluations({})).toEqual([]);
      flip(file);
      await requireAsResolved(engine, planned);
    },
  );

  it.each(['embedded-supervisor', 'My judge', 'the path of My judge'])(
    'keeps %s from judging',
    async (name) => {
      const reference = named(name);
      const file = files[reference] as string;
      await judgeModel(engine, reference);
      flip(file);
      const use = vi.fn(() => Promise.resolve());
      const judged = withJudge(engine, reference, 1, { threads: 1, device: 'cpu' }, use);
      await expect(judged).rejects.toMatchObject({ kind: 'modelChanged' });
      expect(use).not.toHaveBeenCalled();
      flip(file);
      await judgeModel(engine, reference);
    },
  );
});

describe('every model that comes with the application', () => {
  const findings = async (): Promise<string[]> =>
    (
      await examine(
        { ...engine, resources: { ...engine.resources, python: '/nowhere' } },
        { signal: new AbortController().signal, total: () => {}, at: () => {} },
      )
    )
      .filter(({ part, ok }) => !ok && /^(policy|supervisor)$/.test(part))
      .map(({ detail }) => detail);

  it('is looked at by the doctor', async () => {
    const [questions, supervisor] = [
      files['embedded-questions'] as string,
      files['embedded-questions-supervisor'] as string,
    ];
    for (const file of [questions, supervisor]) flip(file);
    const said = await findings();
    for (const file of [questions, supervisor]) {
      flip(file);
      expect(said.join('\n')).toContain(`The file ${file} is not as it was stored`);
    }
  });

  it('is not used and not called sound without the card that has its hash', async () => {
    const card = join(files['embedded-policy'] as string, '../MODEL_CARD.md');
    rmSync(card);
    const missing = `The card ${card} with the SHA-256 of model.safetensors is missing`;
    expect(await findings()).toEqual([expect.stringContaining(missing)]);
    await expect(
      resolveModel(engine.store, engine.resources, 'embedded-policy', 'policy', WHEN),
    ).rejects.toThrow(missing);
  });
});
