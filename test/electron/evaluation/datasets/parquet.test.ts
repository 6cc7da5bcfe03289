import { afterAll, describe, expect, it } from 'vitest';
import { makeParquet, type ParquetClaims } from './makers/parquet-maker.ts';
import { bring, refusal, rowsOfKind, scratch } from './support.ts';

const place = scratch();
afterAll(place.remove);

const ROWS = Array.from({ length: 1200 }, (_, index) => rowsOfKind.salad(index));
const columns = Object.keys(ROWS[0]!).map((name) => ({ name, values: ROWS.map((row) => String(row[name])) }));
const file = (claims?: ParquetClaims): string => place.put('mcq.parquet', makeParquet(columns, claims));

describe('a Parquet file', () => {
  it.each(['UNCOMPRESSED', 'GZIP', 'ZSTD'] as const)(
    'packed as %s gives the rows of the JSON file',
    async (codec) => {
      const [table, list] = [
        await bring(file({ codec }), place.folder),
        await bring(place.put('mcq.json', JSON.stringify(ROWS)), place.folder),
      ];
      expect(table.items).toEqual(list.items);
      expect(table.written.rows).toBe(1200);
    },
  );
  it.each<[string, () => string, RegExp]>([
    ['that claims more rows than it may have', () => file({ rows: 5_000_000 }), /claims 5000000 rows/],
    ['that claims to unpack to gigabytes', () => file({ unpacked: 3e9 }), /claims to unpack/],
    [
      'that claims more values than rows',
      () => file({ values: 2_000_000_000 }),
      /more values than it has rows|cannot be read/,
    ],
    [
      'with a page that claims gigabytes',
      () => file({ page: 2_000_000_000, codec: 'GZIP' }),
      /a page claims 2000000000 bytes/,
    ],
    ['with a page that grows beyond its claim', () => file({ page: 100, codec: 'GZIP' }), /cannot be read/],
    ['with fewer rows than it claims', () => file({ rows: 1300 }), /Row 1201 .*missing|cannot be read/],
    [
      'that is cut off',
      () => place.put('mcq.parquet', makeParquet(columns).subarray(0, -40)),
      /cannot be read/,
    ],
    ['of which only the beginning is there', () => place.put('mcq.parquet', 'PAR1....'), /cannot be read/],
    [
      'with NaN',
      () =>
        place.put(
          'mcq.parquet',
          makeParquet([
            ...columns,
            { name: 'weight', doubles: ROWS.map((_, index) => (index === 1 ? Number.NaN : 1)) },
          ]),
        ),
      /Row 2 .*NaN/,
    ],
    [
      'with a text that is no UTF-8',
      () =>
        place.put(
          'mcq.parquet',
          makeParquet([
            ...columns,
            { name: 'note', values: ROWS.map((_, index) => (index === 2 ? Buffer.from([0xff]) : 'x')) },
          ]),
        ),
      /Row 3 .*not UTF-8/,
    ],
    [
      'of other columns',
      () =>
        place.put(
          'mcq.parquet',
          makeParquet([
            { name: 'a', values: ['1'] },
            { name: 'b', values: ['2'] },
          ]),
        ),
      /fields \(a, b\) are those of no test set/,
    ],
    [
      'with a wrong answer in a row',
      () =>
        place.put(
          'mcq.parquet',
          makeParquet(
            columns.map((column) =>
              column.name === 'gt'
                ? { ...column, values: column.values.map((value, index) => (index === 700 ? 'E' : value)) }
                : column,
            ),
          ),
        ),
      /Row 701 .*names none of its choices/,
    ],
  ])('%s is refused', async (_what, path, why) => {
    expect((await refusal(path(), place.folder)).sentence).toMatch(why);
  });
});
