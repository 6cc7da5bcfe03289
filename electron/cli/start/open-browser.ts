import { spawn } from 'node:child_process';
import { browserCommand, type Surroundings } from './doors.ts';

/**
 * Opens the address in the person's browser and says whether that was tried. The token in it works once, so that what other users
 * of the machine may read in the process list is worthless a moment later.
 */
export function openBrowser(
  surroundings: Surroundings,
  address: string,
  say: (text: string) => void,
): boolean {
  const opener = browserCommand(surroundings, address);
  if (opener === null) return false;
  const child = spawn(opener.command, opener.args, { detached: true, stdio: 'ignore' });
  child.on('error', (error) =>
    say(`The browser could not be opened (${error.message}); open the address above by hand.`),
  );
  child.unref();
  return true;
}
