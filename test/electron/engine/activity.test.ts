import { afterAll, beforeAll, expect, it } from 'vitest';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { makeLab, type Lab } from './in-engine.ts';
import { useWarmTrainer } from '../../support/warm-trainer.ts';

useWarmTrainer();

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
}, 120_000);
afterAll(() => lab.remove());

it('the last news of a run comes when it is no longer at work', async () => {
  const phases = { task: 0, plan: 0, thought: 0, output: 0, exec: 0 };
  const { engine } = lab;
  const stop = new AbortController();
  const atWork: number[] = [];
  const reading = (async () => {
    for await (const { events } of engine.live.follow(engine.live.cursor(), stop.signal)) {
      if (
        events.some(
          ({ event }) => event.kind === 'run' || (event.kind === 'changed' && event.what === 'runs'),
        )
      )
        atWork.push(engine.activity().atWork.length);
    }
  })();
  const { id } = engine.startRun(
    runConfigSchema.parse({
      ...PRESETS.demo,
      name: 'short',
      steps: 1,
      framework: { ...PRESETS.demo.framework, batchSize: 2, estimateSamples: 2 },
      generation: { maxNewTokens: 24 },
      rewardedPrompts: { share: 0 },
      supervision: { ...PRESETS.demo.supervision, phases },
    }),
  );
  let told = false;
  const tell = engine.live.emit.bind(engine.live);
  engine.live.emit = (event) => {
    if (event.kind === 'changed' && event.what === 'runs' && !engine.isActive(id)) told = true;
    tell(event);
  };
  await engine.waitFor(id);
  await new Promise((resolve) => {
    setTimeout(resolve, 300);
  });
  stop.abort();
  await reading;
  expect(told).toBe(true);
  expect(atWork.at(-1)).toBe(0);
}, 120_000);
