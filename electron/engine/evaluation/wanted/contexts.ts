import { Failure, type ContextRecord } from '../../../contract/index.ts';
import { sha256Hex } from '../../../core/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import { contextText, initialContext } from '../../../supervision/index.ts';
import type { Services } from '../../services.ts';

/** What stands in the prompt: nothing (the weights alone), the context of a run's step, or given lines. */
export type AskedContext = null | { runId: string; step: number } | { lines: readonly string[] };

/** A context with where it comes from. */
export type FoundContext = { record: ContextRecord; runId: string | null; step: number | null };

/** Of a run's step: the context it ran under; step = committed steps + 1 is the newest. @throws Failure `noContext` (exit code 2). */
export function contextFor(
  { store }: Pick<Services, 'store'>,
  asked: AskedContext,
  pack: PromptPack,
): FoundContext | null {
  if (asked === null) return null;
  if ('lines' in asked) {
    const text = contextText(
      pack,
      asked.lines.map((line) => ({ text: line })),
    );
    return { record: { ...initialContext(), text, hash: sha256Hex(text) }, runId: null, step: null };
  }
  const { runId, step } = asked;
  const record = store.getContext(runId, step);
  if (record === null) throw new Failure('noContext', `Run "${runId}" has no context for step ${step}.`, 2);
  return { record, runId, step };
}
