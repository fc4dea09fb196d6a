import type { SqlExecutor } from '@parley/event-store';
import { createOwnItemList, createOwnItemReader } from '@parley/service-kit';
import { itemsTable } from '../organisers/organisers-view.ts';
import { knowledgebasesView } from './knowledgebases-view.ts';

const table = itemsTable(knowledgebasesView);

export const createKnowledgebaseReader = (sql: SqlExecutor) =>
  createOwnItemReader(sql, 'knowledgebase', table);
export const createKnowledgebaseList = (sql: SqlExecutor) => createOwnItemList(sql, 'knowledgebases', table);
