import type { CodeTaskType } from '../../../contract/index.ts';
import { fencedBodies, findFences, PYTHON_WORDS, tidyProgram, type Compatibility } from '../../../core/index.ts';
import type { RejectionReason } from './reasons.ts';

/** What a proposer wrote: for induction the program is the one it was shown. */
export type ParsedProposal = { program: string; inputs: string[]; message: string | null };
export type ProposalReading = { ok: true; proposal: ParsedProposal } | { ok: false; reason: RejectionReason };

export type ProposalAsk = {
  taskType: CodeTaskType;
  /** Induction: the program the proposer was given; null for the other types, where it writes one. */
  givenProgram: string | null;
  /** Induction: inputs wanted. */
  inductionInputs: number;
};

/**
 * Reads a proposal from the answer block. strict: the first python block and the first input block, in any order.
 * azr-compat: the first block of any kind is the program, so an input block in front breaks the proposal and the word of a
 * `py` block becomes the program's first line; an input may also follow an `# Input:` comment.
 */
export function readProposal(answer: string, ask: ProposalAsk, mode: Compatibility): ProposalReading {
  return ask.taskType === 'induction' ? readInduction(answer, ask, mode) : readTriplet(answer, mode);
}

function readTriplet(answer: string, mode: Compatibility): ProposalReading {
  const { program, input } = mode === 'strict' ? strictParts(answer) : compatParts(answer);
  if (program === undefined || !/^[ \t]*def[ \t]+[a-zA-Z_]\w*[ \t]*\(/m.test(program)) return { ok: false, reason: 'no-program' };
  if (input === undefined || input.trim() === '') return { ok: false, reason: 'no-input' };
  return { ok: true, proposal: { program: tidyProgram(program), inputs: [input.trim()], message: null } };
}

function strictParts(answer: string): { program: string | undefined; input: string | undefined } {
  const fences = findFences(answer);
  const program = fencedBodies(fences, ...PYTHON_WORDS)[0] ?? fencedBodies(fences, '')[0];
  return { program, input: fencedBodies(fences, 'input')[0] };
}

const COMPAT_PROGRAM = /```(?:python\s*)?(.*?)```/is;
const COMPAT_INPUT = /```input\s*\n?(.*?)\n?```/is;

function compatParts(answer: string): { program: string | undefined; input: string | undefined } {
  return { program: COMPAT_PROGRAM.exec(answer)?.[1], input: COMPAT_INPUT.exec(answer)?.[1] ?? /#\s*Input:\s*(.*?)(?:\n|$)/i.exec(answer)?.[1] };
}

/** The last inputs count when there are more than asked for, as in the original. */
function readInduction(answer: string, ask: ProposalAsk, mode: Compatibility): ProposalReading {
  const fences = findFences(answer);
  const inputs = fencedBodies(fences, 'input').map((input) => input.trim()).filter((input) => input !== '');
  if (inputs.length < ask.inductionInputs) return { ok: false, reason: 'too-few-inputs' };
  const message = fencedBodies(fences, 'message')[0] ?? (mode === 'azr-compat' ? looseMessage(answer) : undefined);
  if (message === undefined || message.trim() === '') return { ok: false, reason: 'no-message' };
  if (mode === 'strict' && /\bdef\s+\w+\s*\(|```/.test(message)) return { ok: false, reason: 'message-has-code' };
  return { ok: true, proposal: { program: ask.givenProgram ?? '', inputs: inputs.slice(-ask.inductionInputs), message: message.trim() } };
}

function looseMessage(answer: string): string | undefined {
  return /<message>(.*?)<\/message>/is.exec(answer)?.[1] ?? /#\s*Message:\s*(.*?)(?:\n\s*\n|$)/is.exec(answer)?.[1];
}
