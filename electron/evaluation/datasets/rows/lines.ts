import { Collector, type Piece } from './pieces.ts';

const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

/** The lines of a stream, blank ones left out; `row` is the line's number, counted from 1. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, rowBytes: number): AsyncGenerator<Piece> {
  const line = new Collector(rowBytes);
  let row = 0;
  const end = (): Piece | null => {
    row += 1;
    const bytes = line.take();
    return bytes !== null && isBlank(bytes) ? null : { row, bytes };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      line.add(chunk.subarray(from, at), true);
      from = at + 1;
      const piece = end();
      if (piece !== null) yield piece;
    }
    line.add(chunk.subarray(from), false);
    if (line.isHopeless) return yield { row: row + 1, bytes: null };
  }
  if (line.length === 0) return;
  const piece = end();
  if (piece !== null) yield piece;
}
