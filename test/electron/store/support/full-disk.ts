import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** A disk of its own below a folder, of a size as mount takes it; needs root, and whoever asks for it takes it away with umount. */
export function smallDisk(root: string, size: string): string {
  const disk = join(root, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]);
  return disk;
}

/** Takes every free page of the disk. */
export function fillUp(file: string): void {
  const ballast = openSync(file, 'w');
  expect(() => {
    for (;;) writeSync(ballast, Buffer.alloc(4096));
  }).toThrow(/ENOSPC/);
  closeSync(ballast);
}
