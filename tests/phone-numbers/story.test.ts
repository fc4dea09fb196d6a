import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { parley } from '../support/parley.ts';
import { buySnatched, ownNumber, recordedNumbers, setCard } from '../support/telephony.ts';

/** The sentences alone, as they would be read aloud. */
const storyOf = async (id: number): Promise<readonly string[]> =>
  (await parley('audit', `number/${id}`)).output
    .split('\n')
    .flatMap((line) => /^ {2}([A-Z].*)$/.exec(line)?.slice(1) ?? [])
    // It comes when it comes.
    .filter((sentence) => !sentence.startsWith('The payment provider confirmed'));

test('the audit of a number tells its purchase as a story', async () => {
  const [api] = accountApis(await freshAccount());
  const { id, phone_number } = await ownNumber(api);
  await api.put(`/api/user/phone-numbers/${id}`, { nickname: 'Sales' });
  expect(await storyOf(id)).toEqual([
    `Somebody asked to buy ${phone_number} (US, local). Nobody else can buy it meanwhile.`,
    'Its price is 2.00 USD a month.',
    expect.stringMatching(/^The monthly subscription began; it is paid until \d{4}-\d{2}-\d{2}\.$/),
    'The carrier handed the number over.',
    `The purchase was completed: ${phone_number} belongs to the account.`,
    'It is called "Sales" now.',
  ]);
});

test('so does that of a number whose purchase failed', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  await setCard(api);
  await buySnatched(api);
  const [recorded] = await recordedNumbers(account.id);
  // Whoever waited for long is told before all of it is undone.
  await eventually(async () =>
    expect((await storyOf(recorded?.id ?? 0)).slice(3)).toEqual([
      'The purchase failed, because the carrier had it no more: +15005550009 is not available.',
      'The subscription was cancelled, and its last payment was given back.',
      'The carrier had not handed it over, so there was nothing to give back.',
      'Nothing is left of a failed purchase; the phone number can be bought again.',
    ]),
  );
});
