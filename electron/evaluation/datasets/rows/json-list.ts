import { Collector, type Piece } from './row.ts';
import type { RefusedRow } from './row.ts';

const [QUOTE, BACKSLASH, COMMA, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [
  0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

type Place = 'start' | 'before' | 'inside' | 'after' | 'end';

/**
 * The entries of a JSON list, one at a time, so that the list is never whole in memory. Only the outline is looked at: what an
 * entry holds is checked when it is parsed. Ends with a fault when the outline is broken.
 */
export async function* entriesOf(
  chunks: AsyncIterable<Buffer>,
  rowBytes: number,
): AsyncGenerator<Piece | RefusedRow> {
  const entry = new Collector(rowBytes);
  let [place, row, depth, inText, escaped] = ['start' as Place, 1, 0, false, false];
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (place === 'inside') {
        if (inText) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inText = false;
        } else if (byte === QUOTE) inText = true;
        else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
        else if ((byte === CLOSE_OBJECT || byte === CLOSE_LIST) && depth > 0) depth -= 1;
        else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) {
          entry.add(chunk.subarray(from, at), true);
          yield { row, bytes: entry.take() };
          row += 1;
          place = byte === COMMA ? 'after' : 'end';
        }
      } else if (isSpace(byte) || (place === 'start' && (byte === 0xef || byte === 0xbb || byte === 0xbf)))
        continue;
      else if (place === 'start' && byte === OPEN_LIST) place = 'before';
      else if (place === 'before' && byte === CLOSE_LIST) place = 'end';
      else if ((place === 'before' || place === 'after') && byte !== COMMA && byte !== CLOSE_LIST) {
        [place, depth, inText, from] = [
          'inside',
          byte === OPEN_OBJECT || byte === OPEN_LIST ? 1 : 0,
          byte === QUOTE,
          at,
        ];
      } else {
        yield {
          row,
          fault: place === 'end' ? 'something follows the end of the list' : 'an entry is missing here',
        };
        return;
      }
    }
    if (place === 'inside') entry.add(chunk.subarray(from), false);
    if (entry.isHopeless) return yield { row, bytes: null };
  }
  if (place !== 'end') yield { row, fault: 'the list is not ended; the file was cut off' };
}
