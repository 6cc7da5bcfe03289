import { describe, expect, it } from 'vitest';
import { answerClasses, uniformIndex } from '../../../electron/core/index.ts';

const never = async (): Promise<boolean> => false;
const numeric = async (a: string, b: string): Promise<boolean> => Number(a) === Number(b);

describe('a vote over answers', () => {
  it('counts equal answers, and names the majority by its first answer', async () => {
    expect(await answerClasses(['2', '1/2', '2.0', '7', '2'], numeric)).toEqual({
      classes: [[0, 2, 4], [1], [3]],
      abstained: [],
      majority: '2',
      agreement: 3 / 5,
    });
  });

  it('leaves those out who gave no answer, also of the agreement', async () => {
    const found = await answerClasses([null, '4', '', '4', ' \n', '5', null], never);
    expect(found).toEqual({
      classes: [[1, 3], [5]],
      abstained: [0, 2, 4, 6],
      majority: '4',
      agreement: 2 / 3,
    });
  });

  it('has neither majority nor agreement when nobody answered', async () => {
    const nobody = { classes: [], majority: null, agreement: null };
    expect(await answerClasses([null, null], never)).toEqual({ ...nobody, abstained: [0, 1] });
    expect(await answerClasses([], never)).toEqual({ ...nobody, abstained: [] });
  });

  it('gives a tie to the class that appears first', async () => {
    expect((await answerClasses(['b', 'a', 'a', 'b'], never)).majority).toBe('b');
  });

  it('asks in both directions, one after the other, and not for equal texts', async () => {
    const asked: string[] = [];
    const found = await answerClasses(['x', 'y', 'x', 'y'], async (a, b) => {
      asked.push(`${a}=${b}`);
      return a === 'x' && b === 'y'; // the original tries the second direction where the first says no
    });
    expect(found.classes).toEqual([[0, 1, 2, 3]]);
    expect(asked).toEqual(['y=x', 'x=y', 'y=x', 'x=y']);
  });

  it('takes the first class that matches, where equality is not transitive', async () => {
    const near = async (a: string, b: string): Promise<boolean> => Math.abs(Number(a) - Number(b)) <= 1;
    expect((await answerClasses(['0', '2', '1', '3'], near)).classes).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect((await answerClasses(['1', '0', '2', '3'], near)).classes).toEqual([[0, 1, 2], [3]]);
  });

  it('does not take two answers with "no " in them for the same', async () => {
    expect((await answerClasses(['no solution', 'no real roots'], never)).classes).toEqual([[0], [1]]);
  });

  it('passes on a comparison that fails', async () => {
    const failing = async (): Promise<boolean> => Promise.reject(new Error('no grader'));
    await expect(answerClasses(['1', '2'], failing)).rejects.toThrow('no grader');
  });

  it('puts every answer in exactly one place, whatever the answers', async () => {
    for (let round = 0; round < 200; round += 1) {
      const answers = Array.from({ length: uniformIndex(12, 5, 'size', round) }, (_, index) => {
        const drawn = uniformIndex(6, 5, 'answer', round, index);
        return drawn === 0 ? null : String(drawn % 4);
      });
      const { classes, abstained, majority, agreement } = await answerClasses(answers, numeric);
      expect([...classes.flat(), ...abstained].toSorted((a, b) => a - b)).toEqual([...answers.keys()]);
      const counts = Map.groupBy(
        answers.filter((answer) => answer !== null),
        (answer) => answer,
      );
      const most = Math.max(0, ...[...counts.values()].map(({ length }) => length));
      expect(agreement).toBe(counts.size === 0 ? null : most / (answers.length - abstained.length));
      expect(majority === null ? 0 : counts.get(majority)!.length).toBe(most);
    }
  });
});
