import type { Room } from '../../ui/index.ts';
import { ContextPage } from './page.tsx';
import './contexts.css';

/** Where each line of the supervision context comes from. */
export const contextsRoom: Room = {
  id: 'contexts',
  rail: null,
  pages: [{ path: '/runs/$runId/context', title: 'contexts.title', component: ContextPage }],
};
