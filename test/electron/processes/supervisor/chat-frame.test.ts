import { describe, expect, it } from 'vitest';
import { thinkingOff } from '../../../../electron/processes/supervisor/chat-frame.ts';

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
