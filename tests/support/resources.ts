import type { Api } from './api.ts';
import { dataOf } from './campaigns.ts';

/** Makes one by a POST; returns its id. */
export const makeOne = async (api: Api, path: string, body: object): Promise<number> =>
  dataOf<{ id: number }>(await api.post(path, body)).id;
