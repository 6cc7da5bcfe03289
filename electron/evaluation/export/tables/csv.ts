/** What a spreadsheet takes for the start of a formula, also in its full-width form and behind space that some programs cut away. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r]/;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

export type CsvValue = string | number | boolean | null | undefined;

/**
 * One line of a CSV file after RFC 4180, with its line end. Numbers stay numbers. Text that a spreadsheet would take for a formula gets
 * a quote in front; control characters, which CSV has no room for, become their pictures (␀ for NUL); half a surrogate pair becomes U+FFFD.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const clean = value
    .toWellFormed()
    .replace(CONTROL, (control) =>
      control === '\u007f' ? '␡' : String.fromCharCode(0x2400 + control.charCodeAt(0)),
    );
  const text = FORMULA.test(value) ? `'${clean}` : clean;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
