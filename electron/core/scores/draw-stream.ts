import { sha256Hex } from '../hash.ts';
import type { RandomPath } from '../counter-random.ts';

/**
 * Uniform draws for resampling: a function that gives indexes in [0, size), a pure function of (seed, path) and of how often it was
 * called. One hash per draw, as `uniform` takes, is too slow for the millions a bootstrap needs; this hashes once and goes on with
 * xoshiro128** (Blackman & Vigna 2018). `size` is at most 2^21, where the bias of at most size / 2^32 is negligible.
 */
export function drawStream(seed: number, ...path: RandomPath): (size: number) => number {
  const digest = sha256Hex(JSON.stringify([seed, ...path]));
  let [a, b, c, d] = [0, 8, 16, 24].map((at) => Number.parseInt(digest.slice(at, at + 8), 16) | 0) as [
    number,
    number,
    number,
    number,
  ];
  const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));
  return (size) => {
    const word = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return Math.floor((word * size) / 2 ** 32);
  };
}
