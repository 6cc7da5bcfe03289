import { InvalidArgumentError } from 'commander';
import type { Program } from '../program.ts';
import { serveWindow } from '../start/serve-window.ts';

/** `anchor serve`. */
export function addServe(program: Program): void {
  program.command
    .command('serve')
    .description(
      "Serve the window and the engine's verbs on 127.0.0.1 until Ctrl-C. Prints an address that lets one browser in, and a bearer token for programs (tRPC over HTTP and WebSocket under /trpc).",
    )
    .option('--port <number>', 'port; 0 picks a free one', parsePort, 0)
    .action((options: { port: number }) => serveWindow(program, options));
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  return port;
}
