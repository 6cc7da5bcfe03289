import type { ContextLine, ContextRecord } from '../../contract/index.ts';
import { isFixedLine } from '../context/fixed-lines.ts';

/** context_{t}.md: the text the agents of step t saw, then where each line comes from and what left. */
export function contextMarkdown({ step, hash, text, tokens, lines, removed }: ContextRecord): string {
  const shown = text === '' ? '*(empty)*' : fenced(text.trim());
  const origin = lines.map((line) =>
    [`- **${line.text}** (${line.id}): ${history(line)}`, ...line.reviewIds.map((id) => `  - ${id}`)].join(
      '\n',
    ),
  );
  const replaced = lines.some((line) => !text.includes(line.text));
  const left = removed.map((line) => `- ${line.text} (${line.id}): ${REASONS[line.reason]}`);
  return [
    `# Context of step ${step}`,
    '',
    `${tokens} tokens, SHA-256 ${hash}`,
    '',
    shown,
    '',
    ...(origin.length > 0
      ? [
          '## Where the lines come from',
          '',
          ...(replaced
            ? ['The policy was shown neutral text of as many tokens in place of these lines.', '']
            : []),
          ...origin,
          '',
        ]
      : []),
    ...(left.length > 0 ? ['## What left', '', ...left, ''] : []),
  ].join('\n');
}

const history = (line: ContextLine): string =>
  isFixedLine(line)
    ? 'set for the whole run'
    : `in the context since step ${line.enteredStep}, last supported by ${line.support} review${line.support === 1 ? '' : 's'} of step ${line.lastSupportedStep}`;

const REASONS: Record<ContextRecord['removed'][number]['reason'], string> = {
  expired: 'nobody supported it for too long',
  conflict: 'a newer line says otherwise',
  budget: 'no room beside newer lines',
};

/** A fence longer than any run of backticks inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
