export {
  WeightSet,
  type LoadedWeights,
  type RecoveryPoint,
  type SavedWeights,
  type WeightSetSettings,
} from './weight-set.ts';
