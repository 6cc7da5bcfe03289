import { crc32, deflateRawSync } from 'node:zlib';

/** What an entry claims; everything but its name and content is what an honest archive would say. */
export type Entry = {
  name: string | Buffer;
  content?: Buffer;
  stored?: boolean;
  /** Unix mode in the directory; a link is 0o120777. */
  mode?: number;
  madeBy?: number;
  flags?: number;
  method?: number;
  /** Claims of the directory that differ from the truth. */
  claims?: { uncompressed?: number; compressed?: number; crc?: number; offset?: number };
  /** The entry's own header says another name or size. */
  local?: { name?: string; uncompressed?: number; method?: number };
};

/** A zip archive as bytes, honest unless its entries say otherwise. */
export function makeZip(entries: readonly Entry[], { count }: { count?: number } = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const {
    name,
    content = Buffer.from('{}'),
    stored = false,
    mode = 0o100644,
    madeBy = 3,
    flags = 0x800,
    method = stored ? 0 : 8,
    claims = {},
    local = {},
  } of entries) {
    const bytes = Buffer.isBuffer(name) ? name : Buffer.from(name, 'utf8');
    const packed = stored || method !== 8 ? content : deflateRawSync(content);
    const sum = claims.crc ?? crc32(content);
    const own = Buffer.from(local.name ?? bytes);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(20, 4);
    header.writeUInt16LE(flags, 6);
    header.writeUInt16LE(local.method ?? method, 8);
    header.writeUInt32LE(sum, 14);
    header.writeUInt32LE(packed.length, 18);
    header.writeUInt32LE(local.uncompressed ?? content.length, 22);
    header.writeUInt16LE(own.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE((madeBy << 8) | 20, 4);
    central.writeUInt16LE(20, 6);
    central.writeUInt16LE(flags, 8);
    central.writeUInt16LE(method, 10);
    central.writeUInt32LE(sum, 16);
    central.writeUInt32LE(claims.compressed ?? packed.length, 20);
    central.writeUInt32LE(claims.uncompressed ?? content.length, 24);
    central.writeUInt16LE(bytes.length, 28);
    central.writeUInt32LE((mode << 16) >>> 0, 38);
    central.writeUInt32LE(claims.offset ?? at, 42);
    parts.push(header, own, packed);
    directory.push(central, bytes);
    at += header.length + own.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count ?? entries.length, 8);
  end.writeUInt16LE(count ?? entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, list, end]);
}
