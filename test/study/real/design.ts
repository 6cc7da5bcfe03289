import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Failure, type RunConfig } from '../../../electron/contract/index.ts';
import { isPresetName, PRESETS } from '../../../electron/evolution/index.ts';
import { checkedConfig, mergeConfigs, parseYaml, type ConfigTree } from '../../../electron/plan/index.ts';

const tree = z.record(z.string(), z.unknown());
const names = z.array(z.string().min(1)).min(1);
const seeds = z.array(z.int().nonnegative()).min(1);

export const designSchema = z.strictObject({
  name: z.string().regex(/^[\w-]+$/),
  preset: z.string().refine(isPresetName, 'no preset of this name'),
  settings: tree,
  /** What an arm lays over the settings, by its name. */
  arms: z.record(z.string().regex(/^[\w-]+$/), tree),
  seeds,
  /** The part that is taken where nothing else is asked for. */
  first: z.strictObject({ arms: names, seeds }),
  suites: names,
  items: z.int().positive(),
});
export type Design = z.infer<typeof designSchema>;
/** The models of this machine: a folder and a GGUF file. */
export type Models = { policy: string; supervisor: string };
export type PlannedRun = { arm: string; seed: number };

/** @throws Failure `badFile` (exit code 2) naming the first fault. */
export function readDesign(file: string): Design {
  const read = designSchema.safeParse(parseYaml(readFileSync(file, 'utf8'), file));
  if (read.success) return read.data;
  const fault = read.error.issues[0];
  throw new Failure('badFile', `${file}: ${fault?.path.join('.')} ${fault?.message}.`, 2);
}

export const runName = ({ name }: Pick<Design, 'name'>, { arm, seed }: PlannedRun): string =>
  `${name}/${arm}/${seed}`;

/** The configuration of one run. @throws Failure `usage` (exit code 2) where the design names what no run has. */
export function configOf(design: Design, run: PlannedRun, models: Models): RunConfig {
  const preset = PRESETS[design.preset as keyof typeof PRESETS] as ConfigTree;
  const own: ConfigTree = {
    name: runName(design, run),
    seed: run.seed,
    policy: { model: models.policy },
    supervision: { model: models.supervisor },
  };
  return checkedConfig([design.settings, design.arms[run.arm] ?? {}, own].reduce(mergeConfigs, preset));
}

/** Seed after seed, so that whatever is done can be compared. @throws Failure `usage` (exit code 2) for an arm or seed it has not. */
export function plannedRuns(
  design: Design,
  asked: { arms: string[] | null; seeds: number[] | null },
): PlannedRun[] {
  const arms = asked.arms ?? design.first.arms;
  const stranger = arms.find((arm) => !Object.hasOwn(design.arms, arm));
  if (stranger !== undefined)
    throw new Failure(
      'usage',
      `The design "${design.name}" has the arms ${Object.keys(design.arms).join(', ')}, not "${stranger}".`,
      2,
    );
  return (asked.seeds ?? design.first.seeds).flatMap((seed) => arms.map((arm) => ({ arm, seed })));
}
