const defaultLimit = 25;
const maxLimit = 100;

interface PageRequest {
  readonly baseUrl: string;
  readonly url: string;
  readonly query: Readonly<Record<string, unknown>>;
}

/** One page of an edge with Graph's cursors; `next` is absent on the last one. Null when the cursor is not ours. */
export function pageOf<T>(items: readonly T[], request: PageRequest) {
  const limit = Math.min(Math.max(Number(request.query.limit) || defaultLimit, 1), maxLimit);
  const start = request.query.after === undefined ? 0 : readCursor(String(request.query.after));
  if (start === null) return null;
  const data = items.slice(start, start + limit);
  if (data.length === 0) return { data };
  const end = start + data.length;
  const next = new URL(request.url, request.baseUrl);
  next.searchParams.set('after', cursor(end));
  return {
    data,
    paging: {
      cursors: { before: cursor(start), after: cursor(end) },
      ...(end < items.length ? { next: next.href } : {}),
    },
  };
}

const cursor = (offset: number): string => Buffer.from(`at:${offset}`).toString('base64url');

function readCursor(text: string): number | null {
  const match = /^at:(\d{1,9})$/.exec(Buffer.from(text, 'base64url').toString());
  return match ? Number(match[1]) : null;
}
