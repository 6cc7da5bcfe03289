import { join } from 'node:path';
import { openBundle, serveLoopback } from '../../hosts/index.ts';
import type { Program } from '../program.ts';
import { withServingNote } from '../serving-note.ts';

export type ServeOptions = {
  /** 0 picks a free one. */
  port: number;
  /** Hears the one-time address once the window is served. */
  onServed?: (link: string) => void;
};

/** Serves the window and the verbs until Ctrl-C. */
export async function serveWindow(program: Program, { port, onServed }: ServeOptions): Promise<void> {
  const bundle = openBundle(join(program.application, 'out/renderer'));
  await program.withEngine(async (engine, signal) => {
    const host = await serveLoopback(engine, { port, bundle });
    try {
      await withServingNote(engine.lab.root, host, async () => {
        const queued = engine.startQueued();
        if (queued.length > 0) program.say(`Taking up ${queued.length} queued runs: ${queued.join(', ')}`);
        const link = host.link();
        program.print({ url: host.url, token: host.token, link }, () =>
          [
            `Window:   ${link}`,
            '          (lets one browser in, once; "anchor open" prints another)',
            `Programs: ${host.url}/trpc with "Authorization: Bearer ${host.token}"`,
          ].join('\n'),
        );
        onServed?.(link);
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      });
    } finally {
      await host.close();
    }
  });
}
