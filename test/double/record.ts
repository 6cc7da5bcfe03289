/** What the application did with the stand-in; tests read it. */
export const record = {
  /** Addresses the page asked for, as the application would see them. */
  requests: [] as string[],
  /** Requests and windows that were cancelled, with the reason. */
  refused: [] as { what: string; url: string }[],
  /** Every message between page and application. */
  messages: [] as { way: 'up' | 'down'; channel: string; excerpt: string }[],
  dialogs: [] as { name: string; options: unknown }[],
  notices: [] as { title: string; body: string }[],
  switches: [] as (string | undefined)[][],
  clipboard: [] as string[],
  /** Things that are allowed but look wrong. */
  warnings: [] as string[],
  /** Utility processes that were started, with the files they run. */
  processes: [] as { file: string; service: string; pid: number | undefined }[],
};

export const excerptOf = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 200);
