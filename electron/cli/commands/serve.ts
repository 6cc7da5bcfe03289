import { InvalidArgumentError } from 'commander';
import { serveLoopback } from '../../hosts/index.ts';
import { print, withEngine, type Program } from '../program.ts';

/** `anchor serve`. */
export function addServe(program: Program): void {
  program.command.command('serve')
    .description('Serve the engine\'s verbs on 127.0.0.1 until Ctrl-C: tRPC over HTTP and WebSocket under /trpc, with a bearer token.')
    .option('--port <number>', 'port; 0 picks a free one', parsePort, 0)
    .action(async (options: { port: number }) => {
      await withEngine(program, async (engine, global, signal) => {
        const host = await serveLoopback(engine, options.port);
        const queued = engine.startQueued();
        if (queued.length > 0) process.stderr.write(`Taking up ${queued.length} queued runs: ${queued.join(', ')}\n`);
        print(global, { url: host.url, token: host.token }, () => `Serving ${host.url}\nAuthorization: Bearer ${host.token}`);
        await new Promise<void>((resolve) => { signal.addEventListener('abort', () => resolve(), { once: true }); });
        await host.close();
      });
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  return port;
}
