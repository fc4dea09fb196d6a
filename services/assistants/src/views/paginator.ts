/** A page of a list. `items` is the JSON of its `taken` items, joined by commas; `total` counts the whole list. */
export interface Page {
  readonly items: string;
  readonly taken: number;
  readonly total: number;
  /** The list's absolute URL, without a query. */
  readonly url: string;
  readonly page: number;
  readonly perPage: number;
}

interface Link {
  readonly url: string | null;
  readonly label: string;
  readonly active: boolean;
}

const defaultPerPage = 10;
/** How many pages a window shows on each side of the present one. */
const onEachSide = 3;

/** The body of Laravel's paginator, which clients of such APIs know, as JSON text. */
export function renderPage({ items, taken, total, url, page, perPage }: Page): string {
  const lastPage = Math.max(1, Math.ceil(total / perPage));
  const size = perPage === defaultPerPage ? '' : `per_page=${perPage}&`;
  const urlOf = (number: number) => `${url}?${size}page=${number}`;
  const previous = page > 1 ? urlOf(page - 1) : null;
  const next = page < lastPage ? urlOf(page + 1) : null;
  const first = (page - 1) * perPage + 1;
  const links: Link[] = [
    { url: previous, label: '&laquo; Previous', active: false },
    ...windowOf(page, lastPage).map((each) =>
      each === 'gap'
        ? { url: null, label: '...', active: false }
        : { url: urlOf(each), label: String(each), active: each === page },
    ),
    { url: next, label: 'Next &raquo;', active: false },
  ];
  const after = {
    first_page_url: urlOf(1),
    from: taken === 0 ? null : first,
    last_page: lastPage,
    last_page_url: urlOf(lastPage),
    links,
    next_page_url: next,
    path: url,
    per_page: perPage,
    prev_page_url: previous,
    to: taken === 0 ? null : first + taken - 1,
    total,
  };
  return `{"current_page":${page},"data":[${items}],${JSON.stringify(after).slice(1)}`;
}

/** The pages that have a link: all when there are few, else both ends and those around the present one. */
export function windowOf(page: number, lastPage: number): (number | 'gap')[] {
  if (lastPage < onEachSide * 2 + 8) return range(1, lastPage);
  const edge = onEachSide + 4;
  const [start, end] = [range(1, 2), range(lastPage - 1, lastPage)];
  if (page <= edge) return [...range(1, edge + onEachSide), 'gap', ...end];
  if (page > lastPage - edge)
    return [...start, 'gap', ...range(lastPage - (edge + onEachSide - 1), lastPage)];
  return [...start, 'gap', ...range(page - onEachSide, page + onEachSide), 'gap', ...end];
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
