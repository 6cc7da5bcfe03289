import type { ModelRecord, ModelProbe } from '../contract/index.ts';

/** Memory of the machine in bytes; `gpu` is that of the largest card, null without one. */
export type MachineMemory = { total: number; gpu: number | null };

export type Fit = {
  verdict: 'fits' | 'tight' | 'too-large' | 'unknown';
  /** What using the model takes, in bytes, and whether that was measured by a test load or follows from its size. */
  needBytes: number | null;
  basis: 'measured' | 'estimated';
  haveBytes: number;
  on: 'gpu' | 'memory';
};

/** fp32 weights, their gradients and AdamW's two moments, 4 bytes each. */
const TRAINING_BYTES_PER_PARAMETER = 16;
/** Activations and the decoded rows' keys and values on top of the weights; the trainer's own plan is exact and needs a loaded model. */
const TRAINING_OVERHEAD = 1.25;
/** A GGUF file is mapped as it is; keys, values and buffers come on top. */
const REVIEWING_OVERHEAD = 1.2;
/** Above this share, other programs and the second model of a run have no room. */
const COMFORTABLE_SHARE = 0.7;

/** Whether a model can be used here: a policy to be trained, a supervisor to review. */
export function fitOf(
  model: Pick<ModelRecord, 'kind' | 'parameters' | 'bytes'>,
  probe: ModelProbe | null,
  memory: MachineMemory,
): Fit {
  const on = memory.gpu === null ? 'memory' : 'gpu';
  const haveBytes = memory.gpu ?? memory.total;
  const need =
    model.kind === 'policy'
      ? model.parameters === null
        ? null
        : model.parameters * TRAINING_BYTES_PER_PARAMETER * TRAINING_OVERHEAD
      : (probe?.memoryBytes ?? model.bytes * REVIEWING_OVERHEAD);
  // A test load of a policy only answers; training takes more, so its memory is no measure of that.
  const basis = model.kind === 'supervisor' && probe?.memoryBytes != null ? 'measured' : 'estimated';
  if (need === null) return { verdict: 'unknown', needBytes: null, basis, haveBytes, on };
  const verdict = need <= COMFORTABLE_SHARE * haveBytes ? 'fits' : need <= haveBytes ? 'tight' : 'too-large';
  return { verdict, needBytes: Math.round(need), basis, haveBytes, on };
}
