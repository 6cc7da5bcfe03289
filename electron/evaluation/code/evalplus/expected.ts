import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure, type EncodedValue } from '../../../contract/index.ts';
import { writeWholeFile } from '../../../library/index.ts';
import {
  isObserved,
  type GradeResult,
  type ObservedValue,
  type RunnerClient,
} from '../../../processes/index.ts';
import { alsoWanted } from './oracles.ts';
import type { EvalPlusTask } from './task.ts';

/** What the reference solution returned for one input, and the processor seconds it took. */
export type ExpectedCall = { value: ObservedValue; also?: ObservedValue | null; seconds: number };
type Expected = { base: ExpectedCall[]; plus: ExpectedCall[] };

/** Of the slowest task half a minute on a slow machine; a reference that takes longer is no reference. */
const REFERENCE_SECONDS = 1800;
/** Three times what the references of both sets tell at most. */
const REPORT_BYTES = 16 * 1024 * 1024;
const FORMAT = 1;

const observedSchema = z.custom<ObservedValue>((value) => isObserved(value));
const callSchema = z.object({
  value: observedSchema,
  also: observedSchema.nullable().optional(),
  seconds: z.number().nonnegative(),
});
const fileSchema = z.object({
  format: z.literal(FORMAT),
  task: z.string(),
  sources: z.string(),
  base: z.array(callSchema),
  plus: z.array(callSchema),
});

type ExpectedOutputsOptions = {
  runner: Pick<RunnerClient, 'grade' | 'hello'>;
  /** Where to keep them; one folder in it per dataset and Python version. */
  folder: string;
  /** Hash of the dataset file, in hexadecimal (EvalPlus uses the MD5 of the unpacked file). */
  datasetHash: string;
};

/**
 * Expected outputs of EvalPlus tasks: none are published, so the reference solution is run on every input, in the sandbox,
 * once per dataset and Python version. One file per task, written whole or not at all, so that a cut-off computation goes on
 * where it was. Nothing of them ever enters a process that runs a model's program.
 */
export class ExpectedOutputs {
  readonly #options: ExpectedOutputsOptions;

  constructor(options: ExpectedOutputsOptions) {
    if (!/^[0-9a-f]{8,128}$/i.test(options.datasetHash))
      throw new Failure(
        'badHash',
        `"${options.datasetHash.slice(0, 40)}" is no hash of a dataset; give it in hexadecimal.`,
      );
    this.#options = options;
  }

  /** Folder of this dataset's files under this Python. */
  get folder(): string {
    const { folder, datasetHash, runner } = this.#options;
    return join(
      folder,
      `evalplus-${datasetHash.toLowerCase()}-python-${runner.hello.python.replace(/[^\w.]/g, '_')}`,
    );
  }

  /** Computes what is missing, task by task. @throws the signal's reason; what was done is kept. */
  async prepare(
    tasks: readonly EvalPlusTask[],
    onProgress: (done: number, total: number, id: string) => void = () => {},
    signal?: AbortSignal,
  ): Promise<void> {
    for (const [index, task] of tasks.entries()) {
      signal?.throwIfAborted();
      if (this.#read(task) === null) await this.#compute(task);
      onProgress(index + 1, tasks.length, task.id);
    }
  }

  /** Of one task: from the folder, or computed and put there. @throws Failure `badReference` when the reference solution fails. */
  async of(task: EvalPlusTask): Promise<Expected> {
    return this.#read(task) ?? this.#compute(task);
  }

  #fileOf(task: EvalPlusTask): string {
    return join(this.folder, `${task.id.replace('/', '-')}.json`);
  }

  /** Null when there is none, or one that was made of another program or other inputs. */
  #read(task: EvalPlusTask): Expected | null {
    const path = this.#fileOf(task);
    if (!existsSync(path)) return null;
    const file = fileSchema.safeParse(jsonOrNull(readFileSync(path, 'utf8')));
    const isOfTask =
      file.success &&
      file.data.task === task.id &&
      file.data.sources === sourcesOf(task) &&
      file.data.base.length === task.baseInputs.length &&
      file.data.plus.length === task.plusInputs.length;
    return isOfTask ? { base: file.data.base, plus: file.data.plus } : null;
  }

  async #compute(task: EvalPlusTask): Promise<Expected> {
    const expected = {
      base: await this.#answers(task, task.baseInputs, 'base'),
      plus: await this.#answers(task, task.plusInputs, 'plus'),
    };
    keep(
      this.#fileOf(task),
      JSON.stringify({ format: FORMAT, task: task.id, sources: sourcesOf(task), ...expected }),
    );
    return expected;
  }

  async #answers(
    task: EvalPlusTask,
    inputs: readonly EncodedValue[][],
    part: string,
  ): Promise<ExpectedCall[]> {
    const { reference, entryPoint } = task;
    const result: GradeResult = await this.#options.runner.grade({
      program: reference,
      mode: 'function',
      entry: entryPoint,
      calls: inputs.map((args) => ({ args })),
      also: alsoWanted(task),
      limits: { cpuSeconds: REFERENCE_SECONDS, wallSeconds: REFERENCE_SECONDS, reportBytes: REPORT_BYTES },
    });
    return result.calls.map((call, index) => {
      const usable = call.status === 'ok' && call.value[1] !== 'huge';
      if (result.status !== 'ok' || !usable) {
        const why =
          call.status === 'ok'
            ? 'returned a value too large to compare'
            : `ended as ${call.error?.type ?? call.status}`;
        throw new Failure(
          'badReference',
          `The reference solution of ${task.id} ${why} on ${part} input ${index + 1}; the dataset or this Python does not fit.`,
        );
      }
      return {
        value: call.value,
        ...(call.also === undefined ? {} : { also: call.also }),
        seconds: Math.max(0, call.seconds),
      };
    });
  }
}

/** Hash of all that expected outputs depend on, once per task: the inputs are long. */
function sourcesOf(task: EvalPlusTask): string {
  const known = sourceHashes.get(task);
  if (known !== undefined) return known;
  const hash = createHash('sha256')
    .update(JSON.stringify([task.reference, task.entryPoint, task.baseInputs, task.plusInputs]))
    .digest('hex');
  sourceHashes.set(task, hash);
  return hash;
}
const sourceHashes = new WeakMap<EvalPlusTask, string>();

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Two programs may compute the same at once, so each has a half of its own. */
function keep(path: string, text: string): void {
  try {
    writeWholeFile(path, text, { unfinished: `${path}.${process.pid}.partial` });
  } catch (cause) {
    throw new Failure(
      'cannotWrite',
      `Expected outputs could not be kept in ${path}: ${(cause as Error).message}. Free space or correct the permissions, then start again; what was computed before is kept.`,
      1,
      { cause },
    );
  }
}
