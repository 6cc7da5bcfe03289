/** Draws the application's icon and writes it for each system: `node resources/icons/make-icons.mjs`. The same bytes every time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const SAMPLES = 4; // per pixel and axis, so that edges are smooth

const GROUND = [22, 66, 91];
const SHADE = [15, 47, 66];
const LINE = [244, 246, 248];
const SIGNAL = [242, 169, 59];

const between = (value, low, high) => Math.min(Math.max(value, low), high);
/** Distance to a segment from (ax, ay) to (bx, by). */
function toSegment(x, y, ax, ay, bx, by) {
  const along = between(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2), 0, 1);
  return Math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay));
}
/** Distance to the border of a rounded square around the middle; negative inside. */
function toTile(x, y) {
  const [dx, dy] = [Math.abs(x - 0.5) - 0.28, Math.abs(y - 0.5) - 0.28];
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - 0.18;
}
/** Distance to the arc of an anchor's arms. */
function toArms(x, y) {
  const angle = Math.atan2(y - 0.5, x - 0.5);
  const limited = between(angle, Math.PI * 0.06, Math.PI * 0.94);
  if (y < 0.5) return Math.min(Math.hypot(x - 0.5 - 0.24 * Math.cos(Math.PI * 0.06), y - 0.5 - 0.24 * Math.sin(Math.PI * 0.06)), Math.hypot(x - 0.5 - 0.24 * Math.cos(Math.PI * 0.94), y - 0.5 - 0.24 * Math.sin(Math.PI * 0.94)));
  return Math.hypot(x - 0.5 - 0.24 * Math.cos(limited), y - 0.5 - 0.24 * Math.sin(limited));
}

/** Colour and opacity at a place of the unit square. */
function colourAt(x, y) {
  if (toTile(x, y) > 0) return null;
  const ring = Math.abs(Math.hypot(x - 0.5, y - 0.255) - 0.062);
  const stem = toSegment(x, y, 0.5, 0.317, 0.5, 0.74);
  const stock = toSegment(x, y, 0.385, 0.41, 0.615, 0.41);
  if (Math.hypot(x - 0.5, y - 0.255) < 0.034) return SIGNAL;
  if (Math.min(ring, stem, stock, toArms(x, y)) < 0.029) return LINE;
  // A quiet wave: what is anchored moves.
  return y > 0.6 + 0.02 * Math.sin(x * 14) ? SHADE : GROUND;
}

function drawn(size) {
  const pixels = Buffer.alloc(size * size * 4);
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const sum = [0, 0, 0];
      let covered = 0;
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
        const colour = colourAt((column + ((sample % SAMPLES) + 0.5) / SAMPLES) / size, (row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / size);
        if (colour === null) continue;
        covered += 1;
        for (let channel = 0; channel < 3; channel += 1) sum[channel] += colour[channel];
      }
      const opacity = covered / (SAMPLES * SAMPLES);
      pixels.set([...sum.map((value) => (covered === 0 ? 0 : Math.round(value / covered))), Math.round(opacity * 255)], (row * size + column) * 4);
    }
  }
  return pixels;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(8 + body.length);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), 4 + body.length);
  return out;
}

function png(size) {
  const pixels = drawn(size);
  const lines = Buffer.alloc(size * (size * 4 + 1));
  for (let row = 0; row < size; row += 1) pixels.copy(lines, row * (size * 4 + 1) + 1, row * size * 4, (row + 1) * size * 4);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 6, 0, 0, 0], 8); // 8 bits, RGBA
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head), chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}

/** Windows: a list of PNG files. */
function ico(images) {
  const head = Buffer.alloc(6 + 16 * images.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(images.length, 4);
  let offset = head.length;
  images.forEach(({ size, data }, index) => {
    const at = 6 + 16 * index;
    head.set([size % 256, size % 256, 0, 0, 1, 0, 32, 0], at);
    head.writeUInt32LE(data.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += data.length;
  });
  return Buffer.concat([head, ...images.map(({ data }) => data)]);
}

/** macOS: named PNG files; the names stand for sizes. */
function icns(images) {
  const names = { 128: 'ic07', 256: 'ic08', 512: 'ic09', 1024: 'ic10' };
  const parts = images.filter(({ size }) => size in names).map(({ size, data }) => {
    const head = Buffer.alloc(8);
    head.write(names[size], 0, 'latin1');
    head.writeUInt32BE(data.length + 8, 4);
    return Buffer.concat([head, data]);
  });
  const head = Buffer.alloc(8);
  head.write('icns', 0, 'latin1');
  head.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.length, 0), 4);
  return Buffer.concat([head, ...parts]);
}

mkdirSync(here, { recursive: true });
const images = [16, 32, 48, 128, 256, 512, 1024].map((size) => ({ size, data: png(size) }));
writeFileSync(join(here, 'icon.png'), images.find(({ size }) => size === 512).data);
writeFileSync(join(here, 'icon.ico'), ico(images.filter(({ size }) => size <= 256)));
writeFileSync(join(here, 'icon.icns'), icns(images));
