import { describe, expect, it } from 'vitest';
import { explainExit, type ExitFacts } from '../../../electron/processes/child/failures.ts';

const FACTS: ExitFacts = {
  name: 'trainer',
  code: null,
  signal: null,
  asked: false,
  sent: null,
  oomKillsBefore: 4,
  oomKillsAfter: 4,
  lastLine: '',
};

describe('the sentence about an ended process', () => {
  it.each<[string, Partial<ExitFacts>, RegExp]>([
    [
      'says that the system killed it for memory',
      { signal: 'SIGKILL', oomKillsAfter: 5 },
      /killed by the system because memory ran out; use a smaller/,
    ],
    ['says so of exit code 137, too', { code: 137, oomKillsAfter: 5 }, /because memory ran out/],
    [
      'only suspects memory when the kernel counted nothing',
      { signal: 'SIGKILL' },
      /killed from outside \(SIGKILL\); when nobody did that/,
    ],
    [
      'only suspects memory where the kernel does not count',
      { signal: 'SIGKILL', oomKillsBefore: null, oomKillsAfter: null },
      /most likely ran out/,
    ],
    [
      'does not blame memory for our own signal',
      { signal: 'SIGKILL', sent: 'SIGKILL', oomKillsAfter: 9, asked: true },
      /^The trainer was stopped with SIGKILL\.$/,
    ],
    [
      'names a crash in native code with its last words',
      { signal: 'SIGSEGV', lastLine: 'ggml_abort' },
      /crashed in native code \(SIGSEGV\)\. Its last words: ggml_abort/,
    ],
    ['names another signal', { signal: 'SIGTERM' }, /ended from outside by SIGTERM/],
    ['names a lost GPU', { code: 70 }, /lost its GPU/],
    [
      'names an exit code and the last line',
      { code: 1, lastLine: 'ModuleNotFoundError: torch' },
      /exit code 1\. Its last words: ModuleNotFoundError: torch/,
    ],
    ['finds an unasked end with code 0 strange', { code: 0 }, /ended by itself before it was asked to/],
    ['finds an asked end with code 0 normal', { code: 0, asked: true }, /^The trainer was stopped\.$/],
  ])('%s', (_claim, facts, sentence) => {
    expect(explainExit({ ...FACTS, ...facts }).sentence).toMatch(sentence);
  });

  it('cuts endless last words', () => {
    expect(explainExit({ ...FACTS, code: 1, lastLine: 'x'.repeat(10_000) }).sentence.length).toBeLessThan(
      400,
    );
  });
});
