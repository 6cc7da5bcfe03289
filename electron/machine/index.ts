export { runSelfTest, selfTestObstacle } from './air-gap/self-test.ts';
export { AirGapMonitor, exportEvidence } from './air-gap/watch.ts';
export {
  checkPlace,
  holdFiles,
  salvageInto,
  type CopyCheck,
  type Restored,
  type RunOutlook,
} from './backup-files.ts';
export { Backups, type BackupFile, type BackupReport, type RestoreRequest } from './backups.ts';
export { bytesAt, diskUse, measureStorage } from './disk-use.ts';
export { about, examine, type Finding } from './doctor.ts';
export { readGpus } from './gpus.ts';
export { availableMemory, peakBytes } from './measure.ts';
export { ProcessMonitor } from './process-monitor.ts';
export { choosePython, findPython, findVllm, pythonChoice } from './python.ts';
export { ResourceMeter } from './resource-meter.ts';
export { dropCheckpoints, keepNewest, keptSteps, removeStrays } from './storage.ts';
export { probeOf, testLoad } from './test-load.ts';
export { verifyLab, type VerifyRequest } from './verify.ts';
