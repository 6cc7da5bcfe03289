import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../contract/index.ts';

/** Where the files that come with the application lie. */
export type ResourcePaths = {
  prompts: (pack: string) => string;
  sampleRun: string;
  suites: string;
  rewardedPrompts: string;
  seeds: string;
  embeddedPolicy: string;
  embeddedQuestions: string;
  embeddedSupervisor: string;
  embeddedQuestionsSupervisor: string;
  /** Words the lines of the embedded supervisors. */
  embeddedWriter: string;
  trainerModule: string;
  graderModule: string;
  /** Computes again what a lab stored. */
  verifyModule: string;
  runnerBroker: string;
  python: string;
  /** Environment of a Python with vLLM; it may not be there. */
  vllm: string;
  /** What to do when that Python is missing or lacks its packages. */
  pythonRemedy: string;
};

/** @param root the application's folder (the checkout, or the packed application's resources folder). */
export function resourcePaths(root: string): ResourcePaths {
  const inVenv = process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python';
  return {
    prompts: (pack) => join(root, 'resources/prompts', pack),
    sampleRun: join(root, 'resources/sample-run'),
    suites: join(root, 'resources/suites'),
    rewardedPrompts: join(root, 'resources/suites/rewarded-prompts.jsonl'),
    seeds: join(root, 'resources/suites/seeds.jsonl'),
    embeddedPolicy: join(root, 'resources/models/policy'),
    embeddedQuestions: join(root, 'resources/models/questions'),
    embeddedSupervisor: join(root, 'resources/models/supervisor/supervisor.f16.gguf'),
    embeddedQuestionsSupervisor: join(root, 'resources/models/questions-supervisor/supervisor.f16.gguf'),
    embeddedWriter: join(root, 'resources/models/writer/writer.f16.gguf'),
    trainerModule: join(root, 'native/trainer'),
    graderModule: join(root, 'native/grader'),
    verifyModule: join(root, 'native/verify'),
    runnerBroker: join(root, 'native/runner/broker.py'),
    python: join(root, '.venv', inVenv),
    vllm: join(root, '.venv-vllm'),
    pythonRemedy: 'run "npm run setup" in the application folder',
  };
}

/** @throws Failure naming the file and the remedy when something that ships with the application is not there. */
export function requireFile(path: string, what: string, remedy: string): string {
  if (!existsSync(path)) throw new Failure('missingFile', `${what} was not found at ${path}; ${remedy}.`);
  return path;
}
