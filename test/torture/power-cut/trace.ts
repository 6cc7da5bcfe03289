/** One recorded operation, in the order in which the program made them. Offsets and sizes are bytes. */
export type Operation =
  | { kind: 'create' | 'unlink' | 'sync'; path: string }
  | { kind: 'write'; path: string; offset: number; data: Buffer }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'rename'; path: string; to: string }
  | { kind: 'acknowledge'; text: string };

const HEADER_BYTES = 21; // kind 1, path length 4, offset 8, data length 8

/** Reads a trace written by the shim. Data are views into `trace`. */
export function readTrace(trace: Buffer): Operation[] {
  const operations: Operation[] = [];
  for (let at = 0; at < trace.length;) {
    const letter = String.fromCharCode(trace[at] ?? 0);
    const pathLength = trace.readUInt32LE(at + 1);
    const offset = Number(trace.readBigUInt64LE(at + 5));
    const size = Number(trace.readBigUInt64LE(at + 13));
    const pathEnd = at + HEADER_BYTES + pathLength;
    const path = trace.toString('utf8', at + HEADER_BYTES, pathEnd);
    operations.push(operation(letter, path, offset, trace.subarray(pathEnd, pathEnd + size)));
    at = pathEnd + size;
  }
  return operations;
}

function operation(letter: string, path: string, offset: number, data: Buffer): Operation {
  switch (letter) {
    case 'C':
      return { kind: 'create', path };
    case 'U':
      return { kind: 'unlink', path };
    case 'S':
      return { kind: 'sync', path };
    case 'W':
      return { kind: 'write', path, offset, data };
    case 'T':
      return { kind: 'truncate', path, size: offset };
    case 'R':
      return { kind: 'rename', path, to: data.toString('utf8') };
    case 'A':
      return { kind: 'acknowledge', text: data.toString('utf8') };
    default:
      throw new Error(
        `The trace holds an operation "${letter}" that nobody knows; shim and reader do not belong together.`,
      );
  }
}
