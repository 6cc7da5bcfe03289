import type { RejectionReason } from './reasons.ts';

/** What a proposer wrote; a type whose proposer is given a program has that one here. */
export type ParsedProposal = { program: string; inputs: string[]; message: string | null };
export type ProposalReading = { ok: true; proposal: ParsedProposal } | { ok: false; reason: RejectionReason };
