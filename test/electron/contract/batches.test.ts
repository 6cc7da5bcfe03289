import { describe, expect, it } from 'vitest';
import { BATCHES, batchesJudgedBy, batchSpec } from '../../../electron/contract/index.ts';

describe('the batches that frameworks declare', () => {
  it('have the order and the names that step files, metrics and seeds have had from the first version', () => {
    expect(BATCHES.map(({ name }) => name)).toEqual([
      'gen_code_i',
      'gen_code_o',
      'gen_code_f',
      'gen_code_e',
      'pred_code_i',
      'pred_code_o',
      'pred_code_f',
      'pred_code_e',
      'pred_request',
      'pred_memory',
      'challenge',
      'pose',
      'label',
      'answer',
    ]);
  });

  it('say who writes in them and by what a supervisor judges them', () => {
    expect(batchSpec('gen_code_o')).toEqual({
      name: 'gen_code_o',
      role: 'proposer',
      taskType: 'deduction',
      judgedBy: 'solve-rate',
      heading: 'code_o',
    });
    expect(batchSpec('pred_code_f')).toMatchObject({
      role: 'solver',
      judgedBy: 'pass-rate',
      heading: 'code_f',
    });
    expect(batchSpec('pred_memory')).toMatchObject({ role: 'assistant', judgedBy: null, heading: 'memory' });
    expect(batchesJudgedBy(null).map(({ taskType }) => taskType)).toEqual(['request', 'memory']);
  });

  it('are told apart by name, and a name that no framework declares is an error', () => {
    expect(new Set(BATCHES.map(({ name }) => name)).size).toBe(BATCHES.length);
    expect(() => batchSpec('gen_code_x')).toThrow('No framework declares a batch "gen_code_x".');
  });
});
