import { useState, type ReactNode } from 'react';

/** A part that is read when it is opened, and not laid out before. */
export function Folded({ title, children }: { title: string; children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="records-folded" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}
