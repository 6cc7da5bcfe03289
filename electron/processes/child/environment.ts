/** Taken over from the engine when set: where programs, homes, devices and compiled modules are. Everything else stays outside. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LD_LIBRARY_PATH',
  'CUDA_VISIBLE_DEVICES',
  'NVIDIA_VISIBLE_DEVICES',
  'SystemRoot',
  'TEMP',
  'USERPROFILE',
  'NODE_COMPILE_CACHE',
];

/** The whole environment of a child: a short list of the engine's own variables and what the child needs. */
export function childEnvironment(
  own: Record<string, string>,
  from: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = from[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, LANG: 'C.UTF-8', ...own };
}

/** For every Python child: no user packages, no hub, repeatable hashing, one line at a time. */
export function pythonEnvironment(moduleDir: string | null, threads: number): Record<string, string> {
  return childEnvironment({
    ...(moduleDir === null ? {} : { PYTHONPATH: moduleDir }),
    PYTHONHASHSEED: '0',
    PYTHONNOUSERSITE: '1',
    PYTHONUTF8: '1',
    PYTHONUNBUFFERED: '1',
    HF_HUB_OFFLINE: '1',
    TRANSFORMERS_OFFLINE: '1',
    HF_HUB_DISABLE_TELEMETRY: '1',
    TOKENIZERS_PARALLELISM: 'false',
    OMP_NUM_THREADS: String(threads),
    OMP_WAIT_POLICY: 'passive',
  });
}
