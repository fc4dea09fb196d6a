import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { createOrganiser } from './create-organiser.ts';
import { deleteOrganiser } from './delete-organiser.ts';
import { showOrganiser, toItem } from './item.ts';
import { type OrganiserEvent, organiser } from './organiser.ts';
import { folderKind, labelKind } from './organiser-kind.ts';
import { updateOrganiser } from './update-organiser.ts';

const accountId = 3;
const command = { accountId, assistantsCount: 2 };
const taken = { code: 'invalid', fields: { name: ['The name has already been taken.'] } };

describe.each([
  { kind: folderKind, noun: 'folder', defaultColor: null },
  { kind: labelKind, noun: 'label', defaultColor: 'gray' },
])('a $noun', ({ kind, defaultColor }) => {
  const sales = kind.created({ id: 12, name: 'Sales', color: 'teal' });
  const owner = `${kind.noun}-12`;
  const scope = `${kind.noun}-name:3`;

  test('is created with what was sent, and claims its name within the account', () => {
    const creation = { accountId, id: 12, name: 'Sales', color: 'teal' } as const;
    const decision = createOrganiser(kind, given(organiser), creation);
    expect(decision.events).toEqual([sales]);
    expect(decision.claims).toEqual([{ op: 'take', scope, key: 'Sales', owner }]);
    expect(decision.reply).toEqual({
      message: `${kind.title} created successfully`,
      data: { id: 12, name: 'Sales', color: 'teal', assistants_count: 0 },
    });
  });

  test('has an id that is given out once', () => {
    const again = () => createOrganiser(kind, given(organiser, sales), { accountId, id: 12, name: 'Sales' });
    expect(again).toThrow('twice');
  });

  test.each([undefined, null])('has its kind’s default color when %s was sent', (color) => {
    const decision = createOrganiser(kind, given(organiser), { accountId, id: 12, name: 'Sales', color });
    expect(given(organiser, ...decision.events)).toEqual({ id: 12, name: 'Sales', color: defaultColor });
    expect(decision.reply.data.color).toBe(defaultColor);
  });

  test('is shown with its kind’s default color when none was recorded, to which it need not be changed', () => {
    const state = given(organiser, kind.created({ id: 12, name: 'Sales', color: null }));
    expect(showOrganiser(kind, state)).toEqual({ id: 12, name: 'Sales', color: defaultColor });
    expect(showOrganiser(kind, null)).toBeNull();
    expect(state && toItem(kind, state)).toEqual({
      id: 12,
      name: 'Sales',
      color: defaultColor,
      assistants_count: 0,
    });
    for (const change of [{ name: 'Sales' }, { color: null }, { color: kind.defaultColor }])
      expect(updateOrganiser(kind, state, { ...command, ...change })).toMatchObject({
        events: [],
        reply: { data: { color: defaultColor } },
      });
  });

  test('answers a taken name as a validation failure of the name', () => {
    const created = createOrganiser(kind, null, { accountId, id: 13, name: 'Sales' });
    const renamed = updateOrganiser(kind, given(organiser, sales), { ...command, name: 'Leads' });
    const claim = { kind: 'claim-taken', scope, key: 'Sales', owner } as const;
    expect(created.onClaimTaken?.(claim)).toEqual(taken);
    expect('onClaimTaken' in renamed && renamed.onClaimTaken?.(claim)).toEqual(taken);
  });

  test('changes only the fields that were sent', () => {
    expect(updateOrganiser(kind, given(organiser, sales), { ...command, color: 'pink' })).toMatchObject({
      events: [kind.recolored('pink')],
      claims: [],
      reply: { data: { id: 12, name: 'Sales', color: 'pink' } },
    });
    expect(updateOrganiser(kind, given(organiser, sales), { ...command, name: 'Leads' })).toMatchObject({
      events: [kind.renamed('Leads')],
      reply: { message: `${kind.title} updated successfully`, data: { name: 'Leads', color: 'teal' } },
    });
  });

  test('gets its kind’s default color when it is set to null', () => {
    const decision = updateOrganiser(kind, given(organiser, sales), { ...command, color: null });
    expect(decision).toMatchObject({
      events: [kind.recolored(defaultColor)],
      reply: { data: { color: defaultColor } },
    });
  });

  test('gives its old name free and takes the new one in one go', () => {
    expect(updateOrganiser(kind, given(organiser, sales), { ...command, name: 'Leads' })).toMatchObject({
      claims: [
        { op: 'release', scope, key: 'Sales', owner },
        { op: 'take', scope, key: 'Leads', owner },
      ],
    });
  });

  test('is updated without an event when nothing would change', () => {
    const state = given(organiser, sales);
    for (const change of [
      {},
      { name: 'Sales' },
      { color: 'teal' },
      { name: 'Sales', color: 'teal' },
    ] as const)
      expect(updateOrganiser(kind, state, { ...command, ...change })).toMatchObject({
        events: [],
        claims: [],
        reply: { data: { id: 12, name: 'Sales', color: 'teal', assistants_count: 2 } },
      });
  });

  test('tells names apart by case, blanks and Unicode form', () => {
    for (const name of ['sales', 'Sales ', 'Sale\u0073\u0301'])
      expect(updateOrganiser(kind, given(organiser, sales), { ...command, name })).toMatchObject({
        events: [kind.renamed(name)],
      });
  });

  test('gives its name free when it is deleted', () => {
    expect(deleteOrganiser(kind, given(organiser, sales), { accountId })).toEqual({
      events: [kind.deleted()],
      claims: [{ op: 'release', scope, key: 'Sales', owner }],
      reply: { message: `${kind.title} deleted successfully` },
    });
  });

  test('is not found before it is created and after it is deleted', () => {
    for (const state of [given(organiser), given(organiser, sales, kind.deleted())]) {
      expect(updateOrganiser(kind, state, { ...command, name: 'Leads' })).toEqual({ code: 'not_found' });
      expect(deleteOrganiser(kind, state, { accountId })).toEqual({ code: 'not_found' });
    }
  });
});

test('histories written by every earlier version still fold to what they meant', () => {
  const folder = golden<OrganiserEvent>('FolderCreated.v1', 'FolderRenamed.v1', 'FolderRecolored.v1');
  expect(given(organiser, ...folder)).toEqual({ id: 12, name: 'Sales\tEMEA', color: null });
  expect(given(organiser, ...folder, ...golden<OrganiserEvent>('FolderDeleted.v1'))).toBeNull();
  const label = golden<OrganiserEvent>('LabelCreated.v1', 'LabelRenamed.v1', 'LabelRecolored.v1');
  expect(given(organiser, ...label)).toEqual({ id: 7, name: 'Very important', color: 'pink' });
  expect(given(organiser, ...label, ...golden<OrganiserEvent>('LabelDeleted.v1'))).toBeNull();
});
