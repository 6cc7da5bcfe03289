import type { Room } from '../../ui/index.ts';
import { RecordsPage } from './records-page.tsx';

export const recordsRoom: Room = {
  id: 'records',
  rail: null,
  pages: [{ path: '/runs/$runId/records', title: 'records.list', component: RecordsPage }],
};
