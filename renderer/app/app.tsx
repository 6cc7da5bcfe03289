import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { queryClient, startLive } from '../data/index.ts';
import { router } from './router.tsx';
import { Providers } from './providers.tsx';

export function App() {
  useEffect(startLive, []);
  return (
    <Providers>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </Providers>
  );
}
