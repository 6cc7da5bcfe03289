import type { ReactNode } from 'react';
import { useTranslate } from '../../i18n/index.ts';
import { Button } from '../../ui/index.ts';

type VeilProps = {
  isVeiled: boolean;
  onReveal: () => void;
  /** Whether the screen has a key that shows it. */ hasKey?: boolean;
  children: ReactNode;
};

/** Text that harms a reader lies behind a blur, for eyes and for screen readers, until somebody asks for it. */
export function Veil({ isVeiled, onReveal, hasKey = false, children }: VeilProps) {
  const t = useTranslate();
  if (!isVeiled) return <>{children}</>;
  return (
    <div className="evaluations-veil">
      <div className="evaluations-veiled" aria-hidden inert>
        {children}
      </div>
      <Button className="evaluations-reveal" size="compact-sm" variant="default" onClick={onReveal}>
        {t(hasKey ? 'evaluations.reveal.key' : 'evaluations.reveal')}
      </Button>
    </div>
  );
}
