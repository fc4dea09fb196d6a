import type { SqlExecutor } from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { lineOf } from '../../lead/phone-number.ts';
import { leadsTable } from './leads-view.ts';

/** Whether any lead of the campaign has the number now, in any spelling. Every change that was answered is seen. */
export async function isNumberInCampaign(
  sql: SqlExecutor,
  { campaignId, phoneNumber }: { readonly campaignId: number; readonly phoneNumber: string },
): Promise<boolean> {
  const { rows } = await sql.query<{ is_there: boolean }>({
    name: 'is-number-in-campaign',
    text: `select exists (select from ${leadsTable} where campaign_id = $1 and phone_number = any($2)) as is_there`,
    values: [campaignId, spellingsOf(phoneNumber)],
  });
  return rows[0]?.is_there ?? false;
}

/**
 * Which of the numbers are in the campaign: by their lines, with the import and row that brought the lead, null where
 * none did.
 */
export async function findNumbersInCampaign(
  sql: SqlExecutor,
  campaignId: number,
  phoneNumbers: readonly string[],
): Promise<Map<string, { readonly importId: string | null; readonly row: number | null }>> {
  const { rows } = await sql.query<{
    phone_number: string;
    import_id: string | null;
    import_row: number | null;
  }>({
    name: 'find-numbers-in-campaign',
    text: `select phone_number, import_id, import_row from ${leadsTable}
           where campaign_id = $1 and phone_number = any($2)`,
    values: [campaignId, phoneNumbers.flatMap(spellingsOf)],
  });
  return new Map(
    rows.map(({ phone_number, import_id: importId, import_row: row }) => [
      lineOf(phone_number),
      { importId, row },
    ]),
  );
}
