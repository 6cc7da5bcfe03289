import { Button, Code, CopyButton, EmptyState, Title } from '../../ui/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { Providers } from '../providers.tsx';

type Missing = 'out' | 'away';

/** What a page shows that the host does not let in, or whose host does not answer: what to do about it. */
export function SignedOut({ admission }: { admission: Missing }) {
  return (
    <Providers>
      <Explanation admission={admission} />
    </Providers>
  );
}

const COMMANDS: Record<Missing, string> = { out: 'npm run anchor -- open', away: 'npm start' };

function Explanation({ admission }: { admission: Missing }) {
  const t = useTranslate();
  return (
    <main>
      <Title order={1} className="app-alone">
        {t('frame.app')}
      </Title>
      <EmptyState
        title={t(admission === 'out' ? 'frame.signedOut.title' : 'frame.away.title')}
        text={t(admission === 'out' ? 'frame.signedOut.text' : 'frame.away.text')}
      >
        <Code>{COMMANDS[admission]}</Code>
        <CopyButton text={COMMANDS[admission]} />
        <Button variant="default" size="compact-sm" onClick={() => location.reload()}>
          {t('common.retry')}
        </Button>
      </EmptyState>
    </main>
  );
}
