import { api, useSideQuery } from '../data/index.ts';
import { Banner } from '../ui/index.ts';

/** What is wrong with the lab that is open. */
export function DamageBanners() {
  const status = useSideQuery('runs.status', api.lab.status, undefined).data;
  return <LabBanners damage={status?.damage ?? null} notices={status?.notices ?? []} />;
}

/** Says that nothing more is stored in this lab, or that folders of runs do not go with its database, and what to do. */
export function LabBanners({ damage, notices }: { damage: string | null; notices: readonly string[] }) {
  return (
    <>
      {damage !== null && <Banner tone="bad">{damage}</Banner>}
      {notices.map((notice) => (
        <Banner key={notice} tone="warn">
          {notice}
        </Banner>
      ))}
    </>
  );
}
