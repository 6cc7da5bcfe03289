import { expect } from 'vitest';
import { Failure } from '../../../../electron/contract/index.ts';

/** The Failure that `work` ends with; fails the test when it ends well or otherwise. */
export async function failureOf(work: () => unknown): Promise<Failure> {
  try {
    await work();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return error as Failure;
  }
  throw new Error('expected a Failure, but it succeeded');
}
