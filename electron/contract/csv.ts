export type CsvValue = string | number | boolean | null | undefined;

/** A table as it is written to a file: numbers in full, in SI units that its columns name, such as `time_s`; shares between 0 and 1. */
export type CsvTable = {
  columns: readonly string[];
  rows: readonly (readonly CsvValue[])[];
};

/** What a spreadsheet takes for the start of a formula, also in its full-width form and behind what some programs cut away. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@＝＋－＠|｜]|^[\t\r]/u;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/**
 * One line of a CSV file after RFC 4180, with its line end. Numbers stay numbers; what is none, such as a share of nothing, is left out. Text
 * that a spreadsheet would take for a formula gets a quote in front; control characters, which CSV has no room for, become their pictures
 * (␀ for NUL); half a surrogate pair becomes U+FFFD.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (typeof value !== 'string') return String(value);
  const clean = value
    .toWellFormed()
    .replace(CONTROL, (control) =>
      control === '\u007f' ? '␡' : String.fromCharCode(0x2400 + control.charCodeAt(0)),
    );
  const text = FORMULA.test(value) ? `'${clean}` : clean;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines that are made without a pause; a few milliseconds. */
const LINES_AT_A_TIME = 1000;

/** A whole table, piece by piece, so that whoever writes a long one can do something else in between. */
export function* csvParts({ columns, rows }: CsvTable): Generator<string> {
  yield csvLine(columns);
  for (let at = 0; at < rows.length; at += LINES_AT_A_TIME)
    yield rows
      .slice(at, at + LINES_AT_A_TIME)
      .map((row) => csvLine(row))
      .join('');
}
