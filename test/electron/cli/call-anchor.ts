import { main } from '../../../electron/cli/main.ts';

/** Carries out one command line in this process and keeps what it printed. */
export async function callAnchor(
  ...args: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const printed = { stdout: '', stderr: '' };
  const code = await main(args, {
    stdout: { write: (text) => void (printed.stdout += text) },
    stderr: { write: (text) => void (printed.stderr += text) },
    environment: process.env,
  });
  return { code, ...printed };
}
