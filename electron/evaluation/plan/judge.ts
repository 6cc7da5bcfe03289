import { join } from 'node:path';
import type { ModelRecord, RunConfig } from '../../contract/index.ts';
import type * as judges from '../judges/index.ts';
import { startSupervisor } from '../../processes/index.ts';
import type { EvaluationServices } from '../services.ts';
import { resolveKnownModel } from '../../models/index.ts';

type World = Pick<EvaluationServices, 'store' | 'resources' | 'lab' | 'clock'>;
export type ModelJudge = judges.ModelJudge;

/** Room for the longest material, the rubric and the answer; less where the model has less. */
const JUDGE_CONTEXT_TOKENS = 8192;

/** The name and hash by which a judge is known, without loading it. @throws Failure `missingModel`, `badModel` (exit code 2). */
export async function judgeModel(
  services: World,
  reference: string,
): Promise<Pick<ModelRecord, 'name' | 'sha256' | 'path' | 'embedded' | 'contextLength'>> {
  const { name, sha256, path, embedded, contextLength } = await resolveKnownModel(
    services,
    reference,
    'supervisor',
  );
  return { name, sha256, path, embedded, contextLength };
}

/** A GGUF judge in a process of its own, which ends with `use`. */
export async function withJudge<T>(
  services: World,
  reference: string,
  seed: number,
  { threads, device }: Pick<RunConfig['policy'], 'threads' | 'device'>,
  use: (judge: ModelJudge) => Promise<T>,
): Promise<T> {
  const { name, sha256, path, contextLength } = await judgeModel(services, reference);
  const client = await startSupervisor({ logFile: join(services.lab.logs, 'judge.log') });
  try {
    await client.load({
      path,
      contextSize: Math.min(JUDGE_CONTEXT_TOKENS, contextLength ?? JUDGE_CONTEXT_TOKENS),
      threads,
      gpu: device === 'cpu' ? false : 'auto',
    });
    return await use({ port: client, model: { name, sha256 }, seed });
  } finally {
    await client.close();
  }
}
