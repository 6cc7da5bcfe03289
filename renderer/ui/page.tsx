import type { ReactNode } from 'react';
import { Title } from './mantine.ts';

type PageProps = {
  title: string;
  /** Beside the title: state, counts. */
  aside?: ReactNode;
  /** At the right: the screen's one primary action and what else acts on the whole page. */
  actions?: ReactNode;
  /** True where the content fills the page and scrolls by itself. */
  flush?: boolean;
  children: ReactNode;
};

/** What every screen is set in: a head with the title and its action, and the content. */
export function Page({ title, aside, actions, flush = false, children }: PageProps) {
  return (
    <section className="kit-page">
      <header className="kit-page-head">
        <Title order={1}>{title}</Title>
        {aside}
        <span className="kit-spring" />
        {actions}
      </header>
      <div className="kit-page-body" data-flush={flush}>
        {children}
      </div>
    </section>
  );
}
