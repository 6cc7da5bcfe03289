import type { WordingRecord } from '../../../electron/contract/index.ts';
import { api, useApiQuery } from '../../data/index.ts';
import { useTranslate } from '../../i18n/index.ts';
import { wordingsOf, type LineLife } from './lines.ts';

/** Whose words a line has, what the supervisor's model was shown for them and what it answered; nothing where rules made the line. */
export function LineWording({ runId, line }: { runId: string; line: LineLife }) {
  const t = useTranslate();
  const step = line.firstContext - 1;
  const read = useApiQuery(
    'contexts.wordings',
    api.contexts.wordings,
    { runId, step },
    { enabled: step >= 1 },
  );
  const found = wordingsOf(line, read.data ?? []);
  if (found.length === 0) return null;
  return (
    <>
      <h3>{t('contexts.wording')}</h3>
      {found.map(({ record, line: written }) => (
        <details key={record.id} className="ctx-causes">
          <summary>
            {t(record.kind === 'merge' ? 'contexts.wording.merge' : 'contexts.wording.summary', {
              batch: record.batch ?? '',
            })}{' '}
            {t(written.wording === 'model' ? 'contexts.wording.model' : 'contexts.wording.source', {
              model: record.model,
              n: written.sources.length,
            })}
          </summary>
          <p className="ctx-feedback">{written.text}</p>
          <Questions record={record} />
        </details>
      ))}
    </>
  );
}

function Questions({ record }: { record: WordingRecord }) {
  const t = useTranslate();
  return (
    <>
      {record.questions.map(({ prompt, answer, problem, tokensIn, tokensOut }, index) => (
        <div key={index}>
          <p className="ctx-quiet numbers">
            {t('contexts.wording.asked', { number: index + 1, tokensIn, tokensOut })}
          </p>
          <pre className="ctx-prompt">{prompt}</pre>
          <pre className="ctx-prompt">{answer ?? problem ?? ''}</pre>
        </div>
      ))}
      {record.refused.map(({ text, reason }, index) => (
        <p key={index} className="ctx-quiet">
          {t('contexts.wording.refused', { reason: t(`contexts.wording.refused.${reason}`), text })}
        </p>
      ))}
    </>
  );
}
