import { DatabaseIcon } from 'lucide-react';
import type { Room } from '../../ui/index.ts';
import { TransferPage } from './transfer-page.tsx';
import { ImportPage } from './import-page.tsx';
import { LibraryPage } from './library-page.tsx';

export const libraryRoom: Room = {
  id: 'library',
  rail: { title: 'library.rail', icon: DatabaseIcon, order: 7, goKey: 'l', path: '/library' },
  pages: [
    { path: '/library', title: 'library.title', component: LibraryPage },
    { path: '/library/import', title: 'library.import.title', component: ImportPage },
    { path: '/library/bring', title: 'library.bring.title', component: TransferPage },
  ],
};
