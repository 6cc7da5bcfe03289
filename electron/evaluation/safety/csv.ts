import { CsvError, parse } from 'csv-parse/sync';
import { Failure } from '../../contract/index.ts';

type CsvRow = { line: number; cells: string[] };

/**
 * The rows of a CSV text: commas, quoted cells with doubled quotes and line breaks, LF or CRLF, a byte order mark. Blank lines
 * are left out. `line` is where a row begins, counted from 1.
 * @throws Failure `badFile` with the line of a quote that is never closed or that stands inside an unquoted cell.
 */
export function readCsv(text: string, file: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let line = 1;
  try {
    parse(text, {
      bom: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n'],
      // Rows are taken as they are found, so that a fault is told with the line its row begins on.
      on_record: (cells: string[]) => {
        if (cells.length > 1 || cells[0] !== '') rows.push({ line, cells });
        line += linesIn(cells);
        return null;
      },
    });
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    const why =
      cause.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'opens a quote that is never closed'
        : 'has a quote in the middle of a cell';
    throw new Failure('badFile', `Line ${line} of ${file} ${why}; take the file as it was published.`, 1, {
      cause,
    });
  }
  return rows;
}

/** Lines of the file that a row takes. Counted here, since the package counts a line break of two characters in a cell as two. */
export const linesIn = (cells: readonly string[]): number =>
  cells.reduce((lines, cell) => lines + cell.split('\n').length - 1, 1);

/** Rows as objects by the names in the first row. @throws Failure `badFile` naming a missing column or a row of another length. */
export function readCsvTable<Column extends string>(
  text: string,
  file: string,
  columns: readonly Column[],
): { line: number; row: Record<Column, string> }[] {
  const [head, ...rest] = readCsv(text, file);
  const missing = columns.find((column) => head?.cells.includes(column) !== true);
  if (head === undefined || missing !== undefined) {
    throw new Failure(
      'badFile',
      `${file} lacks the column ${missing ?? columns[0]}; its columns are ${head?.cells.join(', ') ?? 'none'}. Choose the file as it was published.`,
    );
  }
  return rest.map(({ line, cells }) => {
    if (cells.length !== head.cells.length)
      throw new Failure(
        'badFile',
        `Line ${line} of ${file} has ${cells.length} cells where the header has ${head.cells.length}; take the file as it was published.`,
      );
    return {
      line,
      row: Object.fromEntries(
        columns.map((column) => [column, cells[head.cells.indexOf(column)]!]),
      ) as Record<Column, string>,
    };
  });
}
