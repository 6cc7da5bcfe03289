import type { z } from 'zod';
import type { AzrConfig, CodeTaskType, TaskRecord, TaskView } from '../../../contract/index.ts';
import type { Compatibility, LiteralStyle, RandomPath } from '../../../core/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import type { CheckResult } from '../../../processes/index.ts';
import type { Gold } from '../../../supervision/index.ts';
import type { GoldText, GoldRules } from '../checking/gold-values.ts';
import type { VerificationPlan, VerificationRules } from '../checking/verification.ts';
import type { RejectionReason } from '../checking/reasons.ts';
import type { TaskBuffers } from '../buffers.ts';

/** What a proposal starts from: tasks it is to differ from, and the one whose program it is about (null where it writes its own). */
export type ProposalBasis = { references: TaskRecord[]; given: TaskRecord | null };

/** Names one draw; equal draws give equal choices. Without `references` the prompt has to do with as little as it can. */
export type BasisDraw = { seed: number; path: RandomPath; references: boolean };

export type ProposalTextAsk = Pick<AzrConfig, 'inductionInputs' | 'bannedModules'> & {
  references: readonly TaskRecord[];
  given: Pick<TaskRecord, 'program'> | null;
};
export type ReadingAsk = { givenProgram: string | null } & Pick<AzrConfig, 'inductionInputs'>;

/** What a proposer wrote; a type whose proposer is given a program has that one here. */
export type ParsedProposal = { program: string; inputs: string[]; message: string | null };
export type ProposalReading = { ok: true; proposal: ParsedProposal } | { ok: false; reason: RejectionReason };

/** The content of a task as its buffer keeps it; who made it and when is added outside. */
export type TaskContent = Pick<TaskRecord, 'program' | 'inputs' | 'outputs' | 'message'>;

/** A row of a seed file; `kind` tells which types can read it. */
export type SeedRecord = { id: string; kind: string };

/** A task that can be verified: the hidden part included. */
export type SolvableTask = Pick<TaskRecord, 'program' | 'inputs' | 'outputs'>;

/**
 * Everything the pipeline needs to know of one task type, in the order in which a task meets it. All of it is pure: prompts are
 * generated, programs executed and records stored by the pipeline, the same way for every type.
 */
export interface TaskTypeDefinition {
  readonly name: CodeTaskType;

  /** Rows of a seed file this type can begin with; types may share a kind. */
  readonly seedSchema: z.ZodType<SeedRecord>;
  /** The content of the buffer at step 0, from rows of any kind; never empty, so that every run can begin. */
  seeds(records: readonly SeedRecord[], style: LiteralStyle): TaskContent[];

  drawBasis(buffers: TaskBuffers, draw: BasisDraw): ProposalBasis;
  proposalText(pack: PromptPack, ask: ProposalTextAsk): string;
  readProposal(answer: string, ask: ReadingAsk, mode: Compatibility): ProposalReading;
  /** Whether the proposer writes the program, which must then pass the rules for programs; a given one has passed them. */
  readonly writesProgram: boolean;
  /** The hidden part that belongs to one input, from executing the proposal twice under two hash seeds; or why there is none. */
  goldOf(check: CheckResult, call: number, rules: GoldRules): GoldText;

  /** The solver's question, which shows no gold. */
  solutionText(pack: PromptPack, task: TaskContent): string;
  /** What a reviewer may see of a solver's task: the same as the solver. */
  viewOf(task: TaskContent): TaskView;
  /** How an answer is verified. `answer` is the text of the answer block. */
  planVerification(task: SolvableTask, answer: string, rules: VerificationRules): VerificationPlan;
  /** What must not reach the context: the answer to the task. */
  goldsOf(task: SolvableTask): Gold[];
}
