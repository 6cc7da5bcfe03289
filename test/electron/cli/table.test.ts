import { describe, expect, it } from 'vitest';
import { renderTable } from '../../../electron/cli/table.ts';
import { shownOnTerminal } from '../../../electron/core/index.ts';

describe('what people and models wrote, on a terminal', () => {
  it('cannot turn the text around it, nor act', () => {
    expect(renderTable(['run', 'name'], [['run-1', 'run\u202egnp.exe\u001b[2J']])).toBe(
      [
        'run                           name',
        '─────  ───────────────────────────',
        'run-1  run\\u{202e}gnp.exe\\u{1b}[2J',
      ].join('\n'),
    );
    expect(shownOnTerminal('two\nlines\tof שלום — 100 %')).toBe('two\nlines\tof שלום — 100 %');
    expect(shownOnTerminal('\u2066\u200b\r\0\u009b')).toBe('\\u{2066}\\u{200b}\\u{d}\\u{0}\\u{9b}');
  });
});
