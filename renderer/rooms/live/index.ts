import type { Room } from '../../ui/index.ts';
import { LivePage } from './page.tsx';
import './live.css';

/** One run while it works, and what came of it. */
export const liveRoom: Room = {
  id: 'live',
  rail: null,
  pages: [{ path: '/runs/$runId', title: 'live.title', component: LivePage }],
};
