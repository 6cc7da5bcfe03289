export { GgufSampler } from './gguf.ts';
export { startLocalTrainer } from './local-trainer.ts';
export type {
  LoadedWeights,
  RecoveryPoint,
  Sample,
  SampleOptions,
  Sampler,
  SampleRequest,
  SamplingLimits,
  SavedWeights,
  Trainer,
  WeightSet,
  WeightSetSettings,
} from './port.ts';
