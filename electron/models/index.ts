export {
  EMBEDDED_POLICY,
  EMBEDDED_SUPERVISOR,
  embeddedKind,
  ggufFacts,
  inspectWithHeader,
  requireKnownModel,
  resolveKnownModel,
  requireModelFiles,
  resolveModel,
  takeEmbeddedModels,
  absoluteModel,
  withAbsoluteModels,
} from './find-model.ts';
export { GgufSampler, type GgufRows } from './gguf.ts';
export { startLocalTrainer } from './local-trainer.ts';
export { makePolicyFolder, type PolicyOrigin, type PolicySource } from './make-policy.ts';
export type { MemoryPlan } from '../processes/index.ts';
export type {
  ExportSource,
  LoadedWeights,
  NamedSettings,
  RecoveryPoint,
  Sample,
  Sampler,
  SamplingLimits,
  SampleRequest,
  SavedWeights,
  Trainer,
  WatchedSampler,
  WatchedToken,
  WeightSet,
  WeightSetSettings,
} from './port.ts';
export { cutAtStops } from './port.ts';
