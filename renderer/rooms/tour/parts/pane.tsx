import type { ReactNode } from 'react';

/** One of the panes of an exhibit; it scrolls by itself, so the keyboard has to reach it. */
export function Pane({ label, children }: { label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section aria-label={label} tabIndex={0} className="tour-pane">
      {children}
    </section>
  );
}
