import { z } from 'zod';
import {
  loraConfigSchema,
  machineLoadSchema,
  optimizerSchema,
  phaseSchema,
  precisionSchema,
  type RunConfig,
} from '../contract/index.ts';
import type { Lab } from '../store/index.ts';

/** What a timed step depends on; a result is used for configurations with the same. */
const policyKeySchema = z.strictObject({
  model: z.string(),
  promptPack: z.string(),
  device: z.string(),
  threads: z.int(),
  framework: z.string(),
  /** Absent where every parameter is trained, in float32 and with moments in float32. */
  lora: loraConfigSchema.optional(),
  precision: precisionSchema.optional(),
  optimizer: optimizerSchema.optional(),
  /** Absent where weights stay in memory, or leave it only where they do not all fit. */
  offload: z.literal('always').optional(),
});
const supervisorKeySchema = z.strictObject({
  reviewer: z.string(),
  model: z.string(),
  threads: z.int(),
  device: z.string(),
});

/** One real step taken to find out how long steps and reviews take on this machine; nothing of it was kept but these numbers. */
export const probeSchema = z.strictObject({
  at: z.iso.datetime(),
  policy: policyKeySchema,
  supervisor: supervisorKeySchema,
  /** Seconds of the step without waiting for reviews, and what it did in them. */
  seconds: z.number(),
  trained: z.number(),
  estimates: z.number(),
  /** Seconds of writing, measuring and updating; absent in what an earlier version timed. */
  parts: z.strictObject({ gen: z.number(), estimate: z.number(), update: z.number() }).optional(),
  newTokens: z.number(),
  plans: z.number(),
  thoughts: z.number(),
  /** Estimates made, of those every proposal being valid would have brought: 0…1. */
  validity: z.number(),
  /** Median seconds by phase. */
  reviews: z.partialRecord(phaseSchema, z.strictObject({ seconds: z.number(), n: z.int() })),
  checkpointBytes: z.number().nullable(),
  parameters: z.number(),
  /** Largest resident memory of the trainer's process; null where the system does not tell. */
  memoryBytes: z.number().nullable(),
  /** Runs that were at work meanwhile and made it slower. */
  besides: z.int(),
  /** How busy the machine was with everything else; absent in what earlier versions wrote. */
  load: machineLoadSchema.nullable().optional(),
});
export type Probe = z.infer<typeof probeSchema>;

const SETTING = 'app.plan.probes';
/** One per combination of models that a person tries in an afternoon; older ones are measured again. */
const KEPT = 16;

export const policyKey = ({
  policy: { model, promptPack, device, threads, offload },
  framework,
  train: { lora, precision = 'float32', optimizer = 'adamw' },
}: RunConfig): Probe['policy'] => ({
  model,
  promptPack,
  device,
  threads,
  framework: framework.name,
  ...(lora === undefined ? {} : { lora }),
  ...(precision === 'float32' ? {} : { precision }),
  ...(optimizer === 'adamw' ? {} : { optimizer }),
  ...(offload === 'always' ? { offload } : {}),
});
export const supervisorKey = ({
  supervision: { reviewer, model, threads, device = 'cpu' },
}: RunConfig): Probe['supervisor'] => ({ reviewer, model, threads, device });
export const sameKey = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Newest first. What an earlier version wrote in another form is forgotten: it can be measured again. */
export function probesOf(store: Lab): Probe[] {
  const read = z.array(probeSchema).safeParse(store.getSetting(SETTING));
  return read.success ? read.data : [];
}

export function keepProbe(store: Lab, probe: Probe): void {
  const others = probesOf(store).filter(
    (other) => !(sameKey(other.policy, probe.policy) && sameKey(other.supervisor, probe.supervisor)),
  );
  store.setSetting(SETTING, [probe, ...others].slice(0, KEPT));
}
