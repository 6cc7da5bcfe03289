import { createSocket } from 'node:dgram';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '../../../electron/core/index.ts';
import { makeLab, type Lab } from '../engine/in-engine.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

describe.runIf(process.platform === 'linux')(
  'the watch over connections (on Linux, which tells whose they are)',
  () => {
    it('sees nothing while nothing reaches out, and counts its looks', async () => {
      const first = await lab.verbs.airgap.state();
      const second = await lab.verbs.airgap.state();
      expect(first.outside).toEqual([]);
      expect(second.watch?.looks).toBeGreaterThan(first.watch?.looks ?? Infinity);
      expect(second.watch?.processes).toBeGreaterThan(0);
    });

    it('sees a socket of ours that is connected to another machine, and writes it into the chain of events', async () => {
      const socket = createSocket('udp4');
      // Connecting a datagram socket sends nothing; the address is one of those reserved for documentation.
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.connect(9, '192.0.2.1', resolve);
      });
      try {
        const { outside } = await lab.verbs.airgap.state();
        expect(outside).toContainEqual(
          expect.objectContaining({
            how: 'connected',
            pid: process.pid,
            remote: { address: '192.0.2.1', port: 9 },
          }),
        );
      } finally {
        socket.close();
      }
      await lab.verbs.airgap.state();
      expect(
        lab.engine.store.listEvents(null).filter(({ kind }) => kind === 'airgap.connected'),
      ).toHaveLength(1);
    });

    it('sees a child of ours that listens for other machines', async () => {
      const child = spawn(
        process.execPath,
        ['-e', `require('node:net').createServer().listen(0, '0.0.0.0', () => console.log('up'))`],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await new Promise((resolve) => {
        child.stdout.once('data', resolve);
      });
      const { outside } = await lab.verbs.airgap.state();
      child.kill('SIGKILL');
      expect(outside).toContainEqual(expect.objectContaining({ how: 'listening', pid: child.pid }));
    });

    it('counts what the window was refused since the engine started', async () => {
      lab.engine.store.appendEvent(null, 'airgap.blocked', {
        url: 'https://example.org/x?secret=1',
        method: 'GET',
        resource: 'image',
        at: '',
      });
      expect((await lab.verbs.airgap.state()).blocked.map(({ detail }) => detail)).toEqual([
        'GET https://example.org/x',
      ]);
    });
  },
);

describe('evidence', () => {
  it('is a file with the head of the chain at that moment, and the chain holds its hash', async () => {
    const before = lab.engine.store.exportCheckpointOfChain();
    const { file, sha256, text } = await lab.verbs.airgap.exportEvidence();
    expect(sha256Hex(readFileSync(file))).toBe(sha256);
    const written = JSON.parse(text) as { chain: { seq: number; head: string }; limits: string[] };
    expect(written.chain).toEqual(before);
    expect(written.limits.length).toBeGreaterThan(2);
    expect(lab.engine.store.listEvents(null).at(-1)).toMatchObject({
      kind: 'airgap.evidence',
      body: { sha256 },
    });
    expect(
      lab.engine.store.verifyEvents(written.chain as { seq: number; head: string; count: number })
        .firstBroken,
    ).toBeUndefined();
  });
});
