import { describe, expect, it } from 'vitest';
import { thinkingOff, withinTime } from '../../../../electron/processes/supervisor/chat-frame.ts';

describe('what a chat template computes', () => {
  it('ends after its time, and is done again where the machine gave it none', () => {
    expect(() =>
      withinTime(() => {
        for (;;);
      }, 100),
    ).toThrow(/takes more than 0.1 s to compute/);
    let tries = 0;
    const stopped = new Int32Array(new SharedArrayBuffer(4));
    expect(
      withinTime(() => {
        if (++tries < 3) Atomics.wait(stopped, 0, 0, 2000);
        return tries;
      }, 100),
    ).toBe(3);
  });

  it('is given back, and thrown, as it is', () => {
    expect(withinTime(() => ['a'])).toEqual(['a']);
    const refusal = new RangeError('Roles must alternate.');
    expect(() =>
      withinTime(() => {
        throw refusal;
      }),
    ).toThrow(refusal);
  });
});

describe('a judge whose chat template has the switch for thinking', () => {
  it('begins its answer as the template does where thinking is off', () => {
    const template =
      "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}";
    expect(thinkingOff(template)).toBe('<think>\n\n</think>\n\n');
    // Turns that are over are written with their thoughts; that is no beginning of an answer.
    expect(thinkingOff(`{{- '<think>\\n' + reasoning + '\\n</think>\\n\\n' }}${template}`)).toBe(
      '<think>\n\n</think>\n\n',
    );
  });

  it('has nothing put before its answer where there is no such switch', () => {
    expect(thinkingOff(null)).toBe('');
    expect(thinkingOff("{{- '<|im_start|>assistant\\n<think>\\n\\n</think>\\n' }}")).toBe('');
    expect(thinkingOff('{%- if enable_thinking %}{{ think }}{%- endif %}')).toBe('');
  });
});
