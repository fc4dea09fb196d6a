/** Which page of a list is wanted; the first is 1. */
export interface WantedPage {
  readonly page: number;
  readonly perPage: number;
}

interface FoundPage {
  /** The page's items as JSON, joined by commas. */
  readonly items: string;
  /** Of the whole list. */
  readonly total: number;
}

export const itemsBefore = ({ page, perPage }: WantedPage): number => (page - 1) * perPage;

/** The body that lists with pages are answered with (decisions, section 8). */
export const pageBody = (
  { page, perPage }: WantedPage,
  { items, total }: FoundPage = { items: '', total: 0 },
): string => `{"data":[${items}],"current_page":${page},"per_page":${perPage},"total":${total}}`;
