import { execFile } from 'node:child_process';
import { existsSync, statfsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { cpus, release, totalmem } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import {
  hashFile,
  keepToOwner,
  type ResourcePaths,
  type LabFolder,
  requireFile,
  requireOnCard,
} from '../library/index.ts';
import { vllmVersion } from './python.ts';
import { startGrader, startRunner, startSupervisor } from '../processes/index.ts';
import type { JobHandle } from '../core/index.ts';
import type { Lab } from '../store/index.ts';

/** What one part of the installation looks like and, when it is not fine, what to do. */
export type Finding = { part: string; ok: boolean; detail: string; fix: string | null };

const MINIMUM_FREE_BYTES = 2e9; // two checkpoints of a small real model

type Examined = { resources: ResourcePaths; lab: LabFolder; store: Lab };

/** Looks at every part a run needs, using each for real: the sandbox runs its self-test, the supervisor loads and answers. */
export async function examine(
  { resources, lab, store }: Examined,
  { signal, total, at }: Pick<JobHandle, 'signal' | 'total' | 'at'>,
): Promise<Finding[]> {
  const parts: (() => Finding | Promise<Finding>)[] = [
    () => node(),
    () => python(resources, signal),
    () => vllm(resources, signal),
    () => sandbox(resources, lab),
    () => supervisor(resources, lab),
    () => policy(resources),
    () => grader(resources, lab),
    () => labFolder(lab),
    () => permissions(lab),
    () => runFolders(store),
    () => database(store, { signal, onShare: (share) => at(parts.length - 1 + share) }),
  ];
  total(parts.length);
  const findings: Finding[] = [];
  for (const look of parts) {
    findings.push(await look());
    signal.throwIfAborted();
    at(findings.length);
  }
  return findings;
}

const fine = (part: string, detail: string): Finding => ({ part, ok: true, detail, fix: null });
const broken = (part: string, detail: string, fix: string): Finding => ({ part, ok: false, detail, fix });
const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function node(): Finding {
  const { node: version, modules } = process.versions;
  return fine('node', `Node ${version} (ABI ${modules}), ${process.platform} ${process.arch}`);
}

async function python(resources: ResourcePaths, signal: AbortSignal): Promise<Finding> {
  const fix = resources.pythonRemedy;
  if (!existsSync(resources.python)) return broken('python', `${resources.python} is missing`, fix);
  const script =
    'import sys, torch, transformers, safetensors, tokenizers; print(sys.version.split()[0], torch.__version__, transformers.__version__, torch.cuda.is_available() and torch.cuda.get_device_name(0) or "no GPU: the CPU is used")';
  try {
    const { stdout } = await promisify(execFile)(resources.python, ['-I', '-c', script], {
      timeout: 120_000,
      signal,
    });
    const [version, torch, transformers, ...device] = stdout.trim().split(' ');
    return fine(
      'python',
      `Python ${version}, PyTorch ${torch}, transformers ${transformers}; ${device.join(' ')}`,
    );
  } catch (error) {
    return broken('python', `the packages do not load (${sentenceOf(error).split('\n')[0]})`, fix);
  }
}

/** An environment that is not there is no fault: only runs with policy.backend=vllm need one. */
async function vllm({ vllm: environment }: ResourcePaths, signal: AbortSignal): Promise<Finding> {
  try {
    const version = await vllmVersion(environment, signal);
    return fine(
      'vllm',
      version === null
        ? `no environment in ${environment}; the trainer samples itself`
        : `${version} in ${environment}`,
    );
  } catch (error) {
    return broken(
      'vllm',
      `${environment} has no vLLM (${sentenceOf(error).split('\n')[0]})`,
      'make the environment as docs/models.md says, or let ANCHOR_VLLM name another one',
    );
  }
}

async function sandbox(resources: ResourcePaths, lab: LabFolder): Promise<Finding> {
  const fix =
    'on Debian or Ubuntu run "sudo apt-get install bubblewrap"; where user namespaces are forbidden, level L2 needs a kernel with Landlock';
  try {
    const runner = await startRunner({
      python: resources.python,
      brokerPath: resources.runnerBroker,
      level: 'auto',
      workers: 1,
      logFile: `${lab.logs}/doctor-runner.log`,
    });
    const { level, why, selfTest, executionAllowed } = runner.hello;
    await runner.close();
    const passed = selfTest.filter((probe) => probe.ok).length;
    const detail = `level ${level}, ${passed} of ${selfTest.length} probes held${why === '' ? '' : ` (${why})`}`;
    return executionAllowed ? fine('sandbox', detail) : broken('sandbox', detail, fix);
  } catch (error) {
    return broken('sandbox', sentenceOf(error), fix);
  }
}

async function supervisor(resources: ResourcePaths, lab: LabFolder): Promise<Finding> {
  const fix = 'reinstall the application; the file must be the one it came with';
  const paths = [
    resources.embeddedSupervisor,
    resources.embeddedWriter,
    resources.embeddedQuestionsSupervisor,
  ];
  const missing = paths.find((path) => !existsSync(path));
  if (missing !== undefined) return broken('supervisor', `${missing} is missing`, fix);
  try {
    const client = await startSupervisor({ logFile: `${lab.logs}/doctor-supervisor.log` });
    try {
      const found: string[] = [];
      for (const path of paths) {
        await requireOnCard(path);
        const model = await client.load({ path, contextSize: 512, threads: 1 });
        found.push(
          `${basename(path)}: ${model.architecture}, ${(model.sizeBytes / 1e6).toFixed(1)} MB, loaded in ${Math.round(model.loadMs)} ms; SHA-256 ${(await hashFile(path)).slice(0, 12)}…`,
        );
      }
      return fine('supervisor', found.join('; '));
    } finally {
      await client.close();
    }
  } catch (error) {
    return broken('supervisor', sentenceOf(error), fix);
  }
}

async function policy(resources: ResourcePaths): Promise<Finding> {
  const fix = 'reinstall the application';
  const found: string[] = [];
  for (const folder of [resources.embeddedPolicy, resources.embeddedQuestions]) {
    const file = join(folder, 'model.safetensors');
    if (!existsSync(file)) return broken('policy', `${file} is missing`, fix);
    try {
      await requireOnCard(folder);
    } catch (error) {
      return broken('policy', sentenceOf(error), fix);
    }
    found.push(`${basename(folder)}: SHA-256 ${(await hashFile(file)).slice(0, 12)}…`);
  }
  return fine('policy', `embedded policies, ${found.join('; ')}`);
}

async function grader(resources: ResourcePaths, lab: LabFolder): Promise<Finding> {
  try {
    const client = await startGrader({
      python: resources.python,
      moduleDir: resources.graderModule,
      logFile: `${lab.logs}/doctor-grader.log`,
    });
    const { versions, limits } = client.hello;
    await client.close();
    return fine(
      'grader',
      `${Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', ')}${limits.processorTimer ? '' : '; only wall time limits a comparison here'}`,
    );
  } catch (error) {
    return broken('grader', sentenceOf(error), resources.pythonRemedy);
  }
}

function labFolder(lab: LabFolder): Finding {
  const { bavail, bsize } = statfsSync(lab.root);
  const free = bavail * bsize;
  const detail = `${lab.root}, ${(free / 1e9).toFixed(1)} GB free`;
  return free >= MINIMUM_FREE_BYTES
    ? fine('lab folder', detail)
    : broken('lab folder', detail, 'free at least 2 GB or choose another folder with --lab');
}

/** Looks at every file of the lab. */
export function permissions({ root }: LabFolder): Finding {
  const { readers, told, stillOpen } = keepToOwner(root, true);
  if (told !== null && stillOpen > 0) return broken('permissions', told, `chmod -R go-rwx "${root}"`);
  const who = {
    owner: 'only its owner can read the lab',
    group: "the lab is shared with its folder's group, as the setgid bit says",
    asMade: "the lab folder is another user's: what is written there is as readable as the umask says",
  }[readers];
  return fine('permissions', told ?? who);
}

function runFolders(store: Lab): Finding {
  const notices = store.notices();
  if (notices.length === 0)
    return fine(
      'run folders',
      'the database knows every folder of a run and every step of which it has files',
    );
  return broken(
    'run folders',
    notices.join(' '),
    'look for their database among the backups; what is not needed can be moved away or deleted',
  );
}

async function database(store: Lab, options: Parameters<Lab['examine']>[0]): Promise<Finding> {
  const { damage, events } = await store.examine(options);
  const [first] = damage;
  if (first === undefined)
    return fine('database', `every record is as its event attests; ${events} events in the chain`);
  return broken(
    'database',
    `${damage.length} findings, the first: ${first.part}: ${first.finding}`,
    'keep the lab folder as it is and restore the newest file of its backups folder into another one',
  );
}

const listSchema = z.strictObject({
  application: z.string(),
  packages: z.array(
    z.strictObject({
      name: z.string(),
      version: z.string(),
      licence: z.string(),
      text: z.string().nullable(),
    }),
  ),
});
type BundledPackage = z.infer<typeof listSchema>['packages'][number];

export type About = {
  application: string;
  node: string;
  electron: string | null;
  system: string;
  processor: string;
  threads: number;
  memoryBytes: number;
  labFolder: string;
  packages: BundledPackage[];
};

/** The list of packages is made when they change, by electron/cli/licence-list.ts. */
const LICENCE_LIST = 'resources/licences.json';

/** What is installed here, and under which licences. @throws Failure `missingFile` when the list did not come with the application. */
export function about({ resources, lab }: { resources: ResourcePaths; lab: LabFolder }): About {
  const file = requireFile(
    join(resolve(resources.suites, '../..'), LICENCE_LIST),
    'The list of licences',
    'reinstall the application',
  );
  const { application, packages } = listSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return {
    application,
    packages,
    node: process.versions.node,
    electron: process.versions['electron'] ?? null,
    system: `${process.platform} ${release()} ${process.arch}`,
    processor: cpus()[0]?.model.trim() ?? process.arch,
    threads: cpus().length,
    memoryBytes: totalmem(),
    labFolder: lab.root,
  };
}
