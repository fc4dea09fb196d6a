import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';

/** Which page of a list is wanted; the first is 1. */
export interface WantedPage {
  readonly page: number;
  readonly perPage: number;
}

/** A page of what an account has. */
export interface OwnPage extends WantedPage {
  readonly accountId: number;
}

interface FoundPage {
  /** The page's items as JSON, joined by commas. */
  readonly items: string;
  /** Of the whole list. */
  readonly total: number;
}

interface PagesQuery<Page extends OwnPage> {
  /** The statement's, and no other's. */
  readonly name: string;
  /**
   * A row of `items` and `total` for each page, in their order: `$1` are their accounts, `$2` how many items come before
   * each, `$3` how many it holds at most.
   */
  readonly text: string;
  /** What else is known of each page, as arrays from `$4` on. */
  readonly more?: readonly ((page: Page) => unknown)[];
  /** How many pages one statement reads, of each account in turn; as many as there are when absent. */
  readonly pagesAtOnce?: number;
}

export const itemsBefore = ({ page, perPage }: WantedPage): number => (page - 1) * perPage;

/** The body that lists with pages are answered with (decisions, section 8). */
export const pageBody = (
  { page, perPage }: WantedPage,
  { items, total }: FoundPage = { items: '', total: 0 },
): string => `{"data":[${items}],"current_page":${page},"per_page":${perPage},"total":${total}}`;

/** Reads pages, each as the body of its answer; those that are asked for in one tick share statements. */
export const createOwnPages = <Page extends OwnPage>(
  sql: SqlExecutor,
  { name, text, more = [], pagesAtOnce }: PagesQuery<Page>,
): ((page: Page) => Promise<string>) =>
  createBatchLoader(
    async (pages: readonly Page[]) => {
      const { rows } = await sql.query<{ items: string; total: number }>({
        name,
        text,
        values: [
          pages.map(({ accountId }) => accountId),
          pages.map(itemsBefore),
          pages.map(({ perPage }) => perPage),
          ...more.map((read) => pages.map(read)),
        ],
      });
      return pages.map((page, index) => pageBody(page, rows[index]));
    },
    { ...(pagesAtOnce && { maxBatch: pagesAtOnce }), ownerOf: ({ accountId }) => accountId },
  );
