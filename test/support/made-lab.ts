import { PRESETS } from '../../electron/evolution/index.ts';
import { everyPhase, runConfigSchema, type RunConfig } from '../../electron/contract/index.ts';
import { openEngine } from './engine.ts';

/** A lab as a person's would be after a morning, made by the engine itself: two finished runs, one stopped half-way, an audit. */
export type MadeLab = {
  folder: string;
  supervised: string;
  alone: string;
  stopped: string;
  audit: string;
  record: string;
};

/** Steps of the finished runs in the lab that tests share. */
export const PREPARED_STEPS = 2;

/** A run small enough for a test and with everything in it: all task types, rated prompts, every phase. */
export function smallRun(name: string, p: number, steps: number): RunConfig {
  return runConfigSchema.parse({
    ...PRESETS.demo,
    name,
    steps,
    framework: { ...PRESETS.demo.framework, batchSize: 3, estimateSamples: 2 },
    generation: { maxNewTokens: 96 },
    rewardedPrompts: { share: 0.25, samplesPerPrompt: 2 },
    supervision: { ...PRESETS.demo.supervision, phases: everyPhase(p) },
  });
}

/** Makes it by real training with the embedded models: about a minute on one core. */
export async function makeLab(folder: string, steps: number): Promise<MadeLab> {
  const engine = await openEngine(folder);
  try {
    const supervised = engine.startRun(smallRun('supervised, small', 0.6, steps)).id;
    const alone = engine.startRun(smallRun('alone, small', 0, steps)).id;
    await Promise.all([engine.waitFor(supervised), engine.waitFor(alone)]);
    const stopped = engine.startRun(smallRun('stopped half-way', 0.3, 40)).id;
    await new Promise<void>((resolve) => {
      const unlisten = engine.onProgress(({ runId, stage, step }) => {
        if (runId !== stopped || stage !== 'committed' || step < 2) return;
        unlisten();
        engine.pause(stopped);
        resolve();
      });
    });
    await engine.waitFor(stopped);
    const defaults = engine.audits.defaults(supervised);
    const audit = engine.audits.create(defaults).id;
    const record = engine.store.pageRollouts(supervised, { reviewed: true }, { limit: 1 }).rows[0]?.id ?? '';
    return { folder, supervised, alone, stopped, audit, record };
  } finally {
    await engine.close();
  }
}
