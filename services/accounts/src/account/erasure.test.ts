import type { ErasureEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { erasure, erasureStream, recordErased } from './erasure.ts';

const erased = { erasureId: '0197a6d0-0000-7000-8000-000000000001', subjectIds: ['s1', 's2'] };

test('an erasure is recorded once, however often it is gone over', () => {
  const first = recordErased(given(erasure), erased);
  expect(first).toEqual({
    events: [{ type: 'SubjectErased', data: { erasure_id: erased.erasureId, subject_ids: ['s1', 's2'] } }],
    reply: { erasure_id: erased.erasureId },
  });
  expect(recordErased(given(erasure, ...first.events), erased)).toEqual({
    events: [],
    reply: { erasure_id: erased.erasureId },
  });
  expect(erasureStream('e1')).toBe('erasure-e1');
});

test('what stands for the person is kept', () => {
  expect(given(erasure, ...golden<ErasureEvent>('SubjectErased.v1'))).toEqual({
    subjectIds: ['0197a6d0-0000-7000-8000-000000000081', '0197a6d0-0000-7000-8000-000000000082'],
  });
});
