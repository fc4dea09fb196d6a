import { updateAutomation } from '@parley/contracts';
import { defineResource, numberedStream, type RevertOf, revertBy } from '@parley/service-kit';
import { automation, automationCategory } from './automation.ts';
import { describeAutomationEvent } from './describe.ts';

const revertUpdate = revertBy(updateAutomation);

/** Goes back by a new version with the earlier definition: versions are never taken back, because runs follow them. */
const revert: RevertOf = (change) =>
  change.before.flow === null
    ? 'The first definition of an automation cannot be undone; delete the automation.'
    : revertUpdate(change);

/** An automation as operators and the account's history see it, with the names of the API. */
export const automationResource = defineResource({
  name: automationCategory,
  streamOf: numberedStream(automationCategory),
  fold: automation,
  show: (state) =>
    state && {
      id: String(state.id),
      name: state.name,
      enabled: state.isEnabled,
      version: state.version,
      // What it was checked against is plain JSON.
      flow: state.version === 0 ? null : JSON.parse(JSON.stringify(state.definition)),
    },
  describe: describeAutomationEvent,
  revert,
});
