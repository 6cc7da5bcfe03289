import { fencedBodies, findFences, type Compatibility } from '../../../../core/index.ts';
import type { ProposalReading } from '../../checking/proposal.ts';
import type { ReadingAsk } from '../task-type.ts';

/** Reads inputs and a message for the given program. The last inputs count when there are more than asked for, as in the original. */
export function readInputsAndMessage(
  answer: string,
  { givenProgram, inductionInputs }: ReadingAsk,
  mode: Compatibility,
): ProposalReading {
  const fences = findFences(answer);
  const inputs = fencedBodies(fences, 'input')
    .map((input) => input.trim())
    .filter((input) => input !== '');
  if (inputs.length < inductionInputs) return { ok: false, reason: 'too-few-inputs' };
  const message =
    fencedBodies(fences, 'message')[0] ?? (mode === 'azr-compat' ? looseMessage(answer) : undefined);
  if (message === undefined || message.trim() === '') return { ok: false, reason: 'no-message' };
  if (mode === 'strict' && /\bdef\s+\w+\s*\(|```/.test(message))
    return { ok: false, reason: 'message-has-code' };
  return {
    ok: true,
    proposal: {
      program: givenProgram ?? '',
      inputs: inputs.slice(-inductionInputs),
      message: message.trim(),
    },
  };
}

function looseMessage(answer: string): string | undefined {
  return (
    /<message>(.*?)<\/message>/is.exec(answer)?.[1] ?? /#\s*Message:\s*(.*?)(?:\n\s*\n|$)/is.exec(answer)?.[1]
  );
}
