import type { Room } from '../../ui/index.ts';
import { TourPage } from './tour-page.tsx';

export { TourCommand } from './tour-page.tsx';

export const tourRoom: Room = {
  id: 'tour',
  rail: null,
  pages: [{ path: '/tour', title: 'tour.title', component: TourPage }],
};
