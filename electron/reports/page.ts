import { shownOnTerminal } from '../core/index.ts';
import { escapeXml } from '../figures/index.ts';

/** Text of a model, a person or a file as data: nothing in it is markup, and what would act on the text around it stands as its code point. */
export const shown = (text: string): string => escapeXml(shownOnTerminal(text.toWellFormed()));

/** A cell of a table: text is shown as data, `{ html }` was made here. */
export type CellText = string | number | null | { html: string };

const cellHtml = (cell: CellText): string =>
  cell === null ? '–' : typeof cell === 'object' ? cell.html : shown(String(cell));

/** A table whose first column heads its rows; `caption` says what it shows. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly CellText[])[],
): string {
  const line = (cells: readonly CellText[]): string =>
    `<tr>${cells.map((cell, index) => (index === 0 ? `<th scope="row">${cellHtml(cell)}</th>` : `<td>${cellHtml(cell)}</td>`)).join('')}</tr>`;
  return (
    `<div class="wide"><table><caption>${shown(caption)}</caption>` +
    `<thead><tr>${head.map((name) => `<th scope="col">${shown(name)}</th>`).join('')}</tr></thead>` +
    `<tbody>${rows.map(line).join('\n')}</tbody></table></div>`
  );
}

export const section = (title: string, ...parts: readonly string[]): string =>
  parts.every((part) => part === '')
    ? ''
    : `<section><h2>${shown(title)}</h2>\n${parts.join('\n')}</section>\n`;

export const paragraph = (text: string): string => `<p>${shown(text)}</p>`;

/** A text as it was written, its lines kept. */
export const quoted = (text: string): { html: string } => ({ html: `<pre>${shown(text)}</pre>` });

export const command = (lines: readonly string[]): string => `<pre>${lines.map(shown).join('\n')}</pre>`;

/** What is long and seldom read, folded. */
export const folded = (title: string, content: string): string =>
  `<details><summary>${shown(title)}</summary>\n${content}</details>`;

export const figures = (svgs: readonly string[]): string =>
  svgs.length === 0
    ? ''
    : `<div class="figures">${svgs.map((svg) => `<figure>${svg}</figure>`).join('\n')}</div>`;

const STYLE = `
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 1100px; padding: 24px; font: 15px/1.5 Inter, "Segoe UI", sans-serif; color: #1b1f24; background: #fff; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 32px 0 8px; } h3 { font-size: 15px; margin: 20px 0 6px; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
caption { text-align: start; font-weight: 600; padding: 4px 0; }
th, td { text-align: start; vertical-align: top; padding: 3px 12px 3px 0; border-bottom: 1px solid #d9dee4; overflow-wrap: break-word; }
thead th { border-bottom-color: #5c6670; } tbody th { font-weight: 500; }
.wide { overflow-x: auto; margin: 8px 0 16px; } .quiet { color: #57606a; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 12px; } figure { margin: 0; }
figure svg { width: 100%; height: auto; } pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.45 ui-monospace, monospace; margin: 0; }
details { margin: 8px 0; } summary { cursor: pointer; }
@media print { details > * { display: block; } body { max-width: none; } }`;

/** One file that needs nothing else: no script, no font, no picture from elsewhere, and a policy that forbids any. */
export const page = (title: string, under: readonly string[], sections: readonly string[]): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${shown(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${shown(title)}</h1>
${under.map((text) => `<p class="quiet">${shown(text)}</p>`).join('\n')}
${sections.join('')}</main></body></html>
`;
