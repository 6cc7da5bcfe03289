import type { Program } from '../program.ts';
import { askLink } from '../start/ticket.ts';

/** `anchor open`. */
export function addOpen(program: Program): void {
  program.command
    .command('open')
    .description(
      'Print an address of the window that "anchor serve" serves for this lab; it lets one browser in, once.',
    )
    .argument(
      '[place]',
      'where the window opens, as in its own address after the #, such as runs or "runs/run-20260101-ab12/records?outcome=correct"',
      '',
    )
    .action(async (place: string) => {
      const link = await askLink(await program.labFolder(), place);
      program.print({ link }, () => link);
    });
}
