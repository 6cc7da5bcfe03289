export { about, APP_VERSION } from './about.ts';
export { runSelfTest, selfTestObstacle } from './air-gap/self-test.ts';
export { AirGapMonitor, exportEvidence } from './air-gap/watch.ts';
export { examine, type Finding } from './doctor.ts';
export { peakBytes, readGpus } from './measure.ts';
export { ProcessMonitor } from './process-monitor.ts';
export { choosePython, findPython, pythonChoice } from './python.ts';
export { ResourceMeter } from './resource-meter.ts';
