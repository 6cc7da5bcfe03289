import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAnswerLiteral, readAnswerProgram } from '../../../../electron/core/index.ts';
import { definitionOf } from '../../../../electron/evolution/code-tasks/task-types/registry.ts';

/** What the original's readers made of these answers; original_readers.py recorded it. */
type Row = {
  answer: string;
  triplet: [string, string] | null;
  problem: [string[], string] | null;
  program: string | null;
  input: string;
  output: string;
};
const rows = JSON.parse(readFileSync(join(import.meta.dirname, 'original-readers.json'), 'utf8')) as Row[];
const ASK = { givenProgram: 'def f(x):\n    return x', inductionInputs: 2 };
const proposal = (taskType: 'deduction' | 'induction', answer: string) => {
  const read = definitionOf(taskType).readProposal(answer, ASK, 'azr-compat');
  return read.ok ? read.proposal : null;
};

describe('The readers of azr-compat', () => {
  it.each(rows)('read $answer as the original does', ({ answer, ...recorded }) => {
    const triplet = proposal('deduction', answer);
    const problem = proposal('induction', answer);
    expect({
      triplet: triplet && [triplet.program, triplet.inputs[0]],
      problem: problem && [problem.inputs, problem.message],
      program: readAnswerProgram(answer, 'azr-compat'),
      // White space around a value means nothing to whoever evaluates it.
      input: readAnswerLiteral(answer, 'input', 'azr-compat'),
      output: readAnswerLiteral(answer, 'output', 'azr-compat'),
    }).toEqual({ ...recorded, input: recorded.input.trim(), output: recorded.output.trim() });
  });
});
